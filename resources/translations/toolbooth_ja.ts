<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="ja" sourcelanguage="en">
<context>
    <name></name>
    <message>
        <source>The router is stopped.</source>
        <translation>ルーターは停止しています。</translation>
    </message>
    <message>
        <source>Restart Toolbooth.</source>
        <translation>Toolbooth を再起動してください。</translation>
    </message>
    <message>
        <source>Unexpected error: {error}</source>
        <translation>予期しないエラー: {error}</translation>
    </message>
    <message>
        <source>See the log for details.</source>
        <translation>詳しくはログをご覧ください。</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>キャンセル</translation>
    </message>
    <message>
        <source>Copy details</source>
        <translation>詳細をコピー</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>閉じる</translation>
    </message>
    <message>
        <source>{cause}; next retry after {time}</source>
        <translation>{cause}（{time} まで再試行しません）</translation>
    </message>
    <message>
        <source>Command “{name}” not found</source>
        <translation>コマンド「{name}」が見つかりません</translation>
    </message>
    <message>
        <source>“{name}” can’t be executed</source>
        <translation>「{name}」を実行する権限がありません</translation>
    </message>
    <message>
        <source>Crashed ({reason})</source>
        <translation>クラッシュしました（{reason}）</translation>
    </message>
    <message>
        <source>No response within {time}</source>
        <translation>{time} 以内に応答がありません</translation>
    </message>
    <message>
        <source>Can’t reach {address}</source>
        <translation>{address} に接続できません</translation>
    </message>
    <message>
        <source>Sign-in required</source>
        <translation>サインインが必要です</translation>
    </message>
    <message>
        <source>Waiting for your approval</source>
        <translation>承認待ちです</translation>
    </message>
    <message>
        <source>Secret {name} is missing</source>
        <translation>シークレット {name} がありません</translation>
    </message>
    <message>
        <source>Invalid MCP response</source>
        <translation>応答が MCP として正しくありません</translation>
    </message>
    <message>
        <source>Too many concurrent calls</source>
        <translation>同時の呼び出しが多すぎます</translation>
    </message>
    <message>
        <source>Session limit reached</source>
        <translation>上限までセッションが動いています</translation>
    </message>
    <message>
        <source>Exceeded its memory limit of {limit}</source>
        <translation>メモリの上限 {limit} を超えました</translation>
    </message>
    <message>
        <source>Needs network access for discovery</source>
        <translation>ツールの検出にネットワークが必要です</translation>
    </message>
    <message>
        <source>Not started: isolation too weak</source>
        <translation>起動しませんでした: 隔離が不十分です</translation>
    </message>
    <message>
        <source>Couldn’t download package {name}</source>
        <translation>パッケージ {name} を取得できませんでした</translation>
    </message>
    <message>
        <source>Turned off</source>
        <translation>オフ</translation>
    </message>
    <message>
        <source>Something went wrong</source>
        <translation>問題が起きました</translation>
    </message>
    <message>
        <source>It may be slow to start. Try again in 30 seconds, or raise its timeout.</source>
        <translation>起動に時間がかかっているかもしれません。30 秒後にもう一度試すか、制限時間を延ばしてください。</translation>
    </message>
    <message>
        <source>Check that it is installed and that the command is correct, then try again.</source>
        <translation>インストールされていて、コマンドが正しいことを確認してから、もう一度お試しください。</translation>
    </message>
    <message>
        <source>Check the file’s permissions.</source>
        <translation>ファイルの権限を確認してください。</translation>
    </message>
    <message>
        <source>“{name}” not found</source>
        <translation>「{name}」なし</translation>
    </message>
    <message>
        <source>Secret missing</source>
        <translation>シークレットなし</translation>
    </message>
    <message>
        <source>Unreachable</source>
        <translation>接続できません</translation>
    </message>
    <message>
        <source>Start Docker or Podman, then try again.</source>
        <translation>Docker または Podman を起動してから、もう一度お試しください。</translation>
    </message>
    <message>
        <source>Check its command, arguments and environment variables.</source>
        <translation>コマンド、引数、環境変数を確認してください。</translation>
    </message>
    <message>
        <source>Check the address and your network connection.</source>
        <translation>アドレスとネットワークを確認してください。</translation>
    </message>
    <message>
        <source>Sign in, or add a token in its settings.</source>
        <translation>サインインするか、設定にトークンを追加してください。</translation>
    </message>
    <message>
        <source>Review the command, then approve it.</source>
        <translation>コマンドを確かめてから承認してください。</translation>
    </message>
    <message>
        <source>Set it in the server’s settings, then try again.</source>
        <translation>サーバーの設定で入力してから、やり直してください。</translation>
    </message>
    <message>
        <source>Update the server, or report this to its author.</source>
        <translation>サーバーを更新するか、作者に知らせてください。</translation>
    </message>
    <message>
        <source>Try again later.</source>
        <translation>しばらくしてからもう一度お試しください。</translation>
    </message>
    <message>
        <source>Close a session, or raise its limit.</source>
        <translation>セッションを閉じるか、上限を上げてください。</translation>
    </message>
    <message>
        <source>Raise its memory limit, or send it less data at a time.</source>
        <translation>メモリの上限を上げるか、一度に渡す量を減らしてください。</translation>
    </message>
    <message>
        <source>Allow network access if you trust this server. It also gets its secrets during discovery.</source>
        <translation>このサーバーを信頼できる場合は、ネットワークを許可してください。ツールの検出中はシークレットも渡されます。</translation>
    </message>
    <message>
        <source>This computer can’t provide the minimum isolation required in Settings.</source>
        <translation>設定で求められている隔離を、このコンピューターでは提供できません。</translation>
    </message>
    <message>
        <source>Refresh it to try again.</source>
        <translation>もう一度試すには更新してください。</translation>
    </message>
    <message>
        <source>Turn it on.</source>
        <translation>オンにしてください。</translation>
    </message>
    <message>
        <source>It comes with {program}. Install it, then try again.</source>
        <translation>{program} に含まれています。インストールしてから、もう一度お試しください。</translation>
    </message>
    <message>
        <source>Searched in: {folders}</source>
        <translation>検索した場所: {folders}</translation>
    </message>
    <message>
        <source>Allow writing</source>
        <translation>書き込みを許可</translation>
    </message>
    <message>
        <source>Allow reading</source>
        <translation>読み取りを許可</translation>
    </message>
    <message>
        <source>Fix…</source>
        <translation>修復…</translation>
    </message>
    <message>
        <source>Sign in…</source>
        <translation>サインイン…</translation>
    </message>
    <message>
        <source>Review…</source>
        <translation>確認…</translation>
    </message>
    <message>
        <source>Allow network</source>
        <translation>ネットワークを許可</translation>
    </message>
    <message>
        <source>Download again</source>
        <translation>もう一度取得</translation>
    </message>
    <message>
        <source>Retry</source>
        <translation>再試行</translation>
    </message>
    <message>
        <source>Discover without a sandbox</source>
        <translation>サンドボックスなしで検出</translation>
    </message>
    <message>
        <source>just now</source>
        <translation>たった今</translation>
    </message>
    <message numerus="yes">
        <source>%n min ago</source>
        <translation>
            <numerusform>%n 分前</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n h ago</source>
        <translation>
            <numerusform>%n 時間前</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n d ago</source>
        <translation>
            <numerusform>%n 日前</numerusform>
        </translation>
    </message>
    <message>
        <source>{percent}% less</source>
        <translation>{percent}% 削減</translation>
    </message>
    <message>
        <source>There is nothing to import.</source>
        <translation>取り込むものがありません。</translation>
    </message>
    <message>
        <source>A quotation mark is not closed.</source>
        <translation>引用符が閉じられていません。</translation>
    </message>
    <message>
        <source>This looks like a sentence, not a server.</source>
        <translation>サーバーではなく、文章のようです。</translation>
    </message>
    <message>
        <source>This sets variables but has no command.</source>
        <translation>変数だけで、コマンドがありません。</translation>
    </message>
    <message>
        <source>“{sign}” needs a shell, but servers are started without one.</source>
        <translation>「{sign}」にはシェルが必要ですが、サーバーはシェルなしで起動されます。</translation>
    </message>
    <message>
        <source>“{word}” is not a command, URL, install link or configuration snippet.</source>
        <translation>「{word}」は、コマンド、アドレス、リンク、または読み取れる設定の断片ではありません。</translation>
    </message>
    <message>
        <source>This is too long. Import it as a file instead.</source>
        <translation>長すぎて読み取れません。ファイルとして取り込んでください。</translation>
    </message>
    <message>
        <source>Invalid JSON at line {line}: {reason}.</source>
        <translation>JSON が正しくありません。{line} 行目: {reason}</translation>
    </message>
    <message>
        <source>This contains no servers.</source>
        <translation>サーバーが含まれていません。</translation>
    </message>
    <message>
        <source>Invalid TOML: {reason}.</source>
        <translation>TOML が正しくありません: {reason}。</translation>
    </message>
    <message>
        <source>Invalid YAML: {reason}.</source>
        <translation>YAML が正しくありません: {reason}</translation>
    </message>
    <message>
        <source>Off</source>
        <translation>オフ</translation>
    </message>
    <message>
        <source>Needs approval</source>
        <translation>承認が必要</translation>
    </message>
    <message>
        <source>Needs sign-in</source>
        <translation>サインインが必要</translation>
    </message>
    <message>
        <source>Working</source>
        <translation>処理中</translation>
    </message>
    <message>
        <source>Retrying</source>
        <translation>再試行中</translation>
    </message>
    <message>
        <source>Out of date</source>
        <translation>最新ではありません</translation>
    </message>
    <message>
        <source>Failed</source>
        <translation>失敗</translation>
    </message>
    <message numerus="yes">
        <source>%n items need approval</source>
        <translation>
            <numerusform>%n 件に承認が必要です</numerusform>
        </translation>
    </message>
    <message>
        <source>Ready</source>
        <translation>準備完了</translation>
    </message>
    <message>
        <source>Not discovered yet</source>
        <translation>未検出</translation>
    </message>
    <message>
        <source>Starts on first call</source>
        <translation>呼び出し時に起動</translation>
    </message>
    <message>
        <source>Starting…</source>
        <translation>起動しています…</translation>
    </message>
    <message>
        <source>Connecting…</source>
        <translation>接続しています…</translation>
    </message>
    <message>
        <source>Discovering tools…</source>
        <translation>ツールを検出しています…</translation>
    </message>
    <message>
        <source>Finishing…</source>
        <translation>仕上げています…</translation>
    </message>
    <message>
        <source>refreshed {ago}</source>
        <translation>{ago}に更新</translation>
    </message>
    <message>
        <source>This server runs at its URL, not on this computer, so there is nothing to isolate.</source>
        <translation>アドレスで接続するサーバーです。別の場所で動いているため、隔離の対象はありません。</translation>
    </message>
    <message>
        <source>Files: blocked, except its program and the files its command names.</source>
        <translation>ファイル: プログラム本体とコマンドで指定されたもの以外は遮断。</translation>
    </message>
    <message>
        <source>Files: not blocked.</source>
        <translation>ファイル: 遮断なし。</translation>
    </message>
    <message>
        <source>Network: allowed.</source>
        <translation>ネットワーク: 許可。</translation>
    </message>
    <message>
        <source>Network: blocked.</source>
        <translation>ネットワーク: 遮断。</translation>
    </message>
    <message>
        <source>Memory: {size} MB.</source>
        <translation>メモリ: {size} MB。</translation>
    </message>
    <message>
        <source>CPU: {share} % of a core.</source>
        <translation>CPU: コアの {share} %。</translation>
    </message>
    <message numerus="yes">
        <source>%n failing</source>
        <translation>
            <numerusform>%n 件失敗</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n pending</source>
        <translation>
            <numerusform>%n 件確認待ち</numerusform>
        </translation>
    </message>
    <message>
        <source>The tool reported an error.</source>
        <translation>ツールがエラーを報告しました。</translation>
    </message>
    <message>
        <source>During discovery: {words}</source>
        <translation>検出時: {words}</translation>
    </message>
    <message numerus="yes">
        <source>%n tools</source>
        <translation>
            <numerusform>ツール %n 個</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n servers</source>
        <translation>
            <numerusform>サーバー %n 台</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n tools ready</source>
        <translation>
            <numerusform>ツール %n 個</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n apps connected</source>
        <translation>
            <numerusform>アプリ %n 件接続中</numerusform>
        </translation>
    </message>
    <message>
        <source>Read-only</source>
        <translation>読み取り専用</translation>
    </message>
    <message>
        <source>Writes data</source>
        <translation>書き込みあり</translation>
    </message>
    <message>
        <source>Destructive</source>
        <translation>破壊的</translation>
    </message>
    <message>
        <source>Router starting…</source>
        <translation>ルーターを起動しています…</translation>
    </message>
    <message>
        <source>Router running</source>
        <translation>ルーター稼働中</translation>
    </message>
    <message>
        <source>Router stopped</source>
        <translation>ルーター停止中</translation>
    </message>
    <message>
        <source>Router not running</source>
        <translation>ルーターは動いていません</translation>
    </message>
    <message>
        <source>Unknown app</source>
        <translation>不明なアプリ</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>検索</translation>
    </message>
    <message>
        <source>Call</source>
        <translation>呼出</translation>
    </message>
    <message>
        <source>List</source>
        <translation>一覧</translation>
    </message>
    <message>
        <source>Prompt</source>
        <translation>プロンプト</translation>
    </message>
    <message>
        <source>Resource</source>
        <translation>リソース</translation>
    </message>
    <message>
        <source>Refused</source>
        <translation>拒否</translation>
    </message>
    <message>
        <source>Done</source>
        <translation>完了</translation>
    </message>
    <message>
        <source>Cancelled</source>
        <translation>キャンセル</translation>
    </message>
    <message numerus="yes">
        <source>Listed %n tools</source>
        <translation>
            <numerusform>ツール %n 個を一覧</numerusform>
        </translation>
    </message>
    <message>
        <source>Enter a name for the server.</source>
        <translation>サーバーの名前を入力してください。</translation>
    </message>
    <message>
        <source>The name is longer than {most} characters.</source>
        <translation>名前が {most} 文字を超えています。</translation>
    </message>
    <message>
        <source>Enter the command that starts the server.</source>
        <translation>サーバーを起動するコマンドを入力してください。</translation>
    </message>
    <message>
        <source>The URL must start with http:// or https://.</source>
        <translation>URL は http:// か https:// で始めてください。</translation>
    </message>
    <message>
        <source>Every value needs a name.</source>
        <translation>すべての値に名前が必要です。</translation>
    </message>
    <message>
        <source>“{name}” is not a valid name.</source>
        <translation>「{name}」はここでは名前に使えません。</translation>
    </message>
    <message>
        <source>“{name}” appears twice.</source>
        <translation>「{name}」が重複しています。</translation>
    </message>
    <message numerus="yes">
        <source>%n items of {name} need approval</source>
        <translation>
            <numerusform>{name} の %n 件に承認が必要です</numerusform>
        </translation>
    </message>
    <message>
        <source>They are new or have changed. Apps can’t use them until you approve them.</source>
        <translation>新しいか変更されたツールです。承認するまでアプリからは使えません。</translation>
    </message>
    <message>
        <source>Sign in to {name}</source>
        <translation>{name} にサインインが必要です</translation>
    </message>
    <message>
        <source>Apps can’t use its tools until you sign in.</source>
        <translation>サインインするまで、アプリはこのサーバーのツールを使えません。</translation>
    </message>
    <message>
        <source>{name} needs your approval</source>
        <translation>{name} が承認を待っています</translation>
    </message>
    <message>
        <source>Its command won’t run until you approve it.</source>
        <translation>承認するまでコマンドは実行されません。</translation>
    </message>
    <message>
        <source>{name} keeps failing</source>
        <translation>{name} の起動に繰り返し失敗しています</translation>
    </message>
    <message numerus="yes">
        <source>%n items need attention</source>
        <translation>
            <numerusform>%n 件の対応が必要です</numerusform>
        </translation>
    </message>
    <message>
        <source>Hybrid</source>
        <translation>ハイブリッド</translation>
    </message>
    <message>
        <source>Cloud</source>
        <translation>クラウド</translation>
    </message>
    <message>
        <source>no servers turned on</source>
        <translation>オンのサーバーはありません</translation>
    </message>
    <message numerus="yes">
        <source>{ready} of %n servers ready</source>
        <translation>
            <numerusform>サーバー %n 台中 {ready} 台が準備完了</numerusform>
        </translation>
    </message>
    <message>
        <source>Sign in to {name}…</source>
        <translation>{name} にサインインが必要です…</translation>
    </message>
    <message>
        <source>Approve {name}…</source>
        <translation>{name} を承認…</translation>
    </message>
    <message>
        <source>{name} failed to start…</source>
        <translation>{name} を起動できませんでした…</translation>
    </message>
    <message>
        <source>{name} has a problem…</source>
        <translation>{name} に問題があります…</translation>
    </message>
    <message>
        <source>Turned off {name}</source>
        <translation>{name} をオフにしました</translation>
    </message>
    <message>
        <source>Removed {name}</source>
        <translation>{name} を削除しました</translation>
    </message>
    <message>
        <source>Blocked {tool}</source>
        <translation>{tool} を拒否しました</translation>
    </message>
    <message>
        <source>Unpinned {tool}</source>
        <translation>{tool} の固定を外しました</translation>
    </message>
    <message>
        <source>Pinned {tool} for all apps</source>
        <translation>{tool} をすべてのアプリに固定しました</translation>
    </message>
    <message>
        <source>Couldn’t open the sign-in page.</source>
        <translation>サインインのページを開けませんでした。</translation>
    </message>
    <message>
        <source>Sign in from a terminal with: toolbooth sign-in</source>
        <translation>ターミナルで toolbooth sign-in を試してください。</translation>
    </message>
    <message>
        <source>The workspace that /mcp and the window use.</source>
        <translation>/mcp とウィンドウで使うワークスペースです。</translation>
    </message>
    <message>
        <source>The port that the router listens on (127.0.0.1).</source>
        <translation>ルーターが待ち受けるポート（127.0.0.1）です。</translation>
    </message>
    <message>
        <source>Allow any program on this computer to connect without a token.</source>
        <translation>このコンピューターのすべてのプログラムに、トークンなしの接続を許可します。</translation>
    </message>
    <message>
        <source>How many tools a search returns by default.</source>
        <translation>アプリが指定しないときに、検索が返すツールの数です。</translation>
    </message>
    <message>
        <source>Rank tools higher that were used after similar searches.</source>
        <translation>検索後に実行されたツールを、似た検索で上位に出します。</translation>
    </message>
    <message>
        <source>The service used for cloud search. Its key is stored in the keyring.</source>
        <translation>クラウド検索に使うサービス。キーはキーリングに保管されます。</translation>
    </message>
    <message>
        <source>Also log search queries and tool arguments.</source>
        <translation>検索の文とツールの引数もアクティビティに記録します。</translation>
    </message>
    <message>
        <source>How many days of activity to keep.</source>
        <translation>アクティビティを保存する日数です。</translation>
    </message>
    <message>
        <source>The maximum size of the activity log, in MB.</source>
        <translation>アクティビティを保存する上限 (MB)。</translation>
    </message>
    <message>
        <source>The maximum duration of a tool call.</source>
        <translation>ツールの呼び出し 1 回にかけられる時間です。</translation>
    </message>
    <message>
        <source>How long a call waits for your permission.</source>
        <translation>呼び出しがあなたの許可を待つ時間。</translation>
    </message>
    <message>
        <source>How long a server can be idle before it is stopped.</source>
        <translation>使われていないサーバーを停止するまでの時間です。</translation>
    </message>
    <message>
        <source>Start Toolbooth when an app connects with `toolbooth connect`.</source>
        <translation>アプリが `toolbooth connect` で接続したときに Toolbooth を起動します。</translation>
    </message>
    <message>
        <source>How many KB of a result tool_execute returns at a time; 0 returns all of it.</source>
        <translation>tool_execute が一度に返す結果の大きさ（KB）です。0 にするとすべて返します。</translation>
    </message>
    <message>
        <source>The limits on the tool list of each server.</source>
        <translation>各サーバーのツール一覧に対する制限です。</translation>
    </message>
    <message>
        <source>How servers are isolated during discovery.</source>
        <translation>検出中にサーバーを隔離する方法です。</translation>
    </message>
    <message>
        <source>Also offer scripts (execute) to clients that search for tools.</source>
        <translation>ツールを検索するクライアントにもスクリプト (execute) を提供します。</translation>
    </message>
    <message>
        <source>The maximum duration of a script.</source>
        <translation>1 つのスクリプトにかけられる時間。</translation>
    </message>
    <message>
        <source>The maximum number of calls a script can make.</source>
        <translation>1 つのスクリプトが行える呼び出しの数。</translation>
    </message>
    <message>
        <source>The maximum memory a script can use, in MB.</source>
        <translation>1 つのスクリプトが使えるメモリ (MB)。</translation>
    </message>
    <message>
        <source>The color theme of the window.</source>
        <translation>ウィンドウの配色です。</translation>
    </message>
    <message>
        <source>The language of the window.</source>
        <translation>ウィンドウの言語です。</translation>
    </message>
    <message>
        <source>Start without opening the window.</source>
        <translation>自分で起動したときもウィンドウを開きません。</translation>
    </message>
    <message>
        <source>Whether the setup guide has been shown.</source>
        <translation>初回ガイドを表示したかどうか。</translation>
    </message>
    <message>
        <source>Whether the hint about closing to the tray has been shown.</source>
        <translation>閉じるとトレイに隠れるという案内を表示したかどうかです。</translation>
    </message>
    <message>
        <source>This system can&apos;t monitor the server: files, hosts and programs are not recorded.</source>
        <translation>このシステムではサーバーの動作を監視できません。ファイル、ホスト、プログラムは記録されません。</translation>
    </message>
    <message>
        <source>Files that it checked but did not open are not recorded.</source>
        <translation>開かずに存在だけを調べたファイルは記録されません。</translation>
    </message>
    <message>
        <source>DNS lookups are detected at this isolation level, but not the names.</source>
        <translation>この隔離レベルでは、DNS の名前解決があったことはわかりますが、名前は記録されません。</translation>
    </message>
    <message>
        <source>The data sent to hosts is not recorded.</source>
        <translation>ホストに送られたデータは記録されません。</translation>
    </message>
    <message>
        <source>Some of its activity could not be recorded.</source>
        <translation>動作の一部は記録できませんでした。</translation>
    </message>
    <message>
        <source>bubblewrap (bwrap) is not installed.</source>
        <translation>bubblewrap（bwrap）がインストールされていません。</translation>
    </message>
    <message>
        <source>Level {0}: the self-test timed out.</source>
        <translation>レベル {0}：自己テストが時間内に終わりませんでした。</translation>
    </message>
    <message>
        <source>Level {0}: {1}</source>
        <translation>レベル {0}：{1}</translation>
    </message>
    <message>
        <source>Level {0}: a sandboxed program could read files.</source>
        <translation>レベル {0}：内側のプログラムがファイルを読めました。</translation>
    </message>
    <message>
        <source>Level {0}: a sandboxed program could write files.</source>
        <translation>レベル {0}：内側のプログラムがファイルに書き込めました。</translation>
    </message>
    <message>
        <source>Level {0}: a sandboxed program could reach the network.</source>
        <translation>レベル {0}：内側のプログラムがネットワークに接続できました。</translation>
    </message>
    <message>
        <source>Level {0}: a sandboxed program could reach local sockets.</source>
        <translation>レベル {0}：内側のプログラムがローカルソケットに接続できました。</translation>
    </message>
    <message>
        <source>Level {0}: a sandboxed program could signal other programs.</source>
        <translation>レベル {0}：内側のプログラムがほかのプログラムにシグナルを送れました。</translation>
    </message>
    <message>
        <source>Level {0}: a sandboxed program could change other programs.</source>
        <translation>レベル {0}：内側のプログラムがほかのプログラムの設定やメモリに手を加えられました。</translation>
    </message>
    <message>
        <source>Level {0}: a sandboxed program could use the shared memory of others.</source>
        <translation>レベル {0}：内側のプログラムがほかのプログラムの共有メモリを使えました。</translation>
    </message>
    <message>
        <source>Level {0}: a sandboxed program could start unlimited processes.</source>
        <translation>レベル {0}：内側のプログラムがプロセスを際限なく起動できました。</translation>
    </message>
    <message>
        <source>It runs in a container, started as configured: isolation ends at the container.</source>
        <translation>コンテナーの中で、設定どおりに起動されます。隔離はコンテナーまでです。</translation>
    </message>
    <message>
        <source>Started as configured: npm is not installed.</source>
        <translation>設定どおりに起動されます：npm がインストールされていません。</translation>
    </message>
    <message>
        <source>Started by {0} as configured: {1} has no value.</source>
        <translation>設定どおりに {0} が起動します：{1} に値がありません。</translation>
    </message>
    <message>
        <source>Started by {0} as configured: unknown option {1}.</source>
        <translation>設定どおりに {0} が起動します：オプション {1} を解釈できません。</translation>
    </message>
    <message>
        <source>Started by {0} as configured: no package name found.</source>
        <translation>設定どおりに {0} が起動します：パッケージ名がありません。</translation>
    </message>
    <message>
        <source>Started by {0} as configured: {1} is not from the registry.</source>
        <translation>設定どおりに {0} が起動します：{1} はレジストリーのものではありません。</translation>
    </message>
    <message>
        <source>Started by {0} as configured: {1} is not from the package index.</source>
        <translation>設定どおりに {0} が起動します：{1} はパッケージインデックスのものではありません。</translation>
    </message>
    <message>
        <source>{0}</source>
        <translation>{0}</translation>
    </message>
    <message>
        <source>it does not exist</source>
        <translation>ファイルが存在しません</translation>
    </message>
    <message>
        <source>a string is not closed</source>
        <translation>文字列が閉じられていません</translation>
    </message>
    <message>
        <source>invalid JSON: {reason}</source>
        <translation>JSON が正しくありません: {reason}</translation>
    </message>
    <message>
        <source>a number has too many digits</source>
        <translation>数値の桁数が多すぎます</translation>
    </message>
    <message>
        <source>There is no server &quot;{server}&quot; in workspace {name}.</source>
        <translation>ワークスペース {name} にサーバー「{server}」はありません。</translation>
    </message>
    <message>
        <source>There is no project &quot;{project}&quot; in workspace {name}.</source>
        <translation>ワークスペース {name} にプロジェクト「{project}」はありません。</translation>
    </message>
    <message>
        <source>List them with: toolbooth list</source>
        <translation>一覧: toolbooth list</translation>
    </message>
    <message>
        <source>A token can be valid for one second to ten years.</source>
        <translation>トークンの有効期間は 1 秒から 10 年までです。</translation>
    </message>
    <message>
        <source>Choose another name.</source>
        <translation>別の名前を選んでください。</translation>
    </message>
    <message>
        <source>List them with: toolbooth project list</source>
        <translation>一覧: toolbooth project list</translation>
    </message>
    <message>
        <source>A name must have 1 to {most} characters.</source>
        <translation>名前は 1～{most} 文字です。</translation>
    </message>
    <message>
        <source>There is already a server &quot;{name}&quot;.</source>
        <translation>サーバー「{name}」はすでにあります。</translation>
    </message>
    <message>
        <source>&quot;{name}&quot; must contain a letter or digit.</source>
        <translation>「{name}」には英数字が必要です。</translation>
    </message>
    <message>
        <source>&quot;{name}&quot; is a reserved name.</source>
        <translation>「{name}」は予約された名前です。</translation>
    </message>
    <message>
        <source>There is already a project &quot;{name}&quot;.</source>
        <translation>プロジェクト「{name}」はすでにあります。</translation>
    </message>
    <message>
        <source>There is already a workspace &quot;{name}&quot;.</source>
        <translation>ワークスペース「{name}」はすでにあります。</translation>
    </message>
    <message>
        <source>Use 1 to 64 letters, digits, hyphens and underscores.</source>
        <translation>1～64 文字の英数字、ハイフン、アンダースコアを使ってください。</translation>
    </message>
    <message>
        <source>Write: ---@param name type What it is.</source>
        <translation>---@param 名前 型 説明 の形で書いてください。</translation>
    </message>
    <message>
        <source>&quot;{name}&quot; is not a valid script name.</source>
        <translation>「{name}」はスクリプトの名前に使えません。</translation>
    </message>
    <message>
        <source>A script can have at most {size} KB.</source>
        <translation>スクリプトは最大 {size} KB です。</translation>
    </message>
    <message>
        <source>&quot;{line}&quot; is not a valid parameter.</source>
        <translation>「{line}」は有効なパラメーターではありません。</translation>
    </message>
    <message>
        <source>Unknown type in &quot;{line}&quot;.</source>
        <translation>「{line}」の型は不明です。</translation>
    </message>
    <message>
        <source>Supported types are {types}, each also with [], and choices like &quot;a&quot;|&quot;b&quot;.</source>
        <translation>使える型は {types}、それぞれに [] を付けたもの、&quot;a&quot;|&quot;b&quot; のような選択肢です。</translation>
    </message>
    <message>
        <source>List them with: toolbooth workspace list</source>
        <translation>一覧: toolbooth workspace list</translation>
    </message>
    <message>
        <source>{place}: {reason}</source>
        <translation>{place}: {reason}</translation>
    </message>
    <message>
        <source>Fix the file. Until then, the last valid version is used.</source>
        <translation>ファイルを直してください。それまでは最後の正しい内容を使います。</translation>
    </message>
    <message>
        <source>There is no workspace &quot;{name}&quot;.</source>
        <translation>ワークスペース「{name}」はありません。</translation>
    </message>
    <message>
        <source>{path}, line {line}</source>
        <translation>{path}、{line} 行目</translation>
    </message>
    <message>
        <source>Stop that program, or choose another port in Settings or with --port.</source>
        <translation>そのプログラムを終了するか、設定または --port で別のポートを選んでください。</translation>
    </message>
    <message>
        <source>Port {port} is already in use by another program.</source>
        <translation>ポート {port} は別のプログラムが使用中です。</translation>
    </message>
    <message>
        <source>List them with: toolbooth client list</source>
        <translation>一覧: toolbooth client list</translation>
    </message>
    <message>
        <source>There is no app &quot;{client}&quot;.</source>
        <translation>アプリ「{client}」はありません。</translation>
    </message>
    <message>
        <source>List connected apps with: toolbooth client list</source>
        <translation>接続済みのアプリの一覧: toolbooth client list</translation>
    </message>
    <message>
        <source>This can no longer be undone.</source>
        <translation>これはもう元に戻せません。</translation>
    </message>
    <message>
        <source>The backup is next to the file.</source>
        <translation>バックアップはファイルと同じ場所にあります。</translation>
    </message>
    <message>
        <source>Review the preview again.</source>
        <translation>プレビューをもう一度確認してください。</translation>
    </message>
    <message>
        <source>Review the file and try again.</source>
        <translation>確認してから、もう一度お試しください。</translation>
    </message>
    <message>
        <source>{name} is not connected.</source>
        <translation>{name} は接続されていません。</translation>
    </message>
    <message>
        <source>it is not UTF-8 text</source>
        <translation>UTF-8 のテキストではありません</translation>
    </message>
    <message>
        <source>{path} has changed in the meantime.</source>
        <translation>{path} はその間に変更されました。</translation>
    </message>
    <message>
        <source>Delete some of them.</source>
        <translation>いくつか削除してください。</translation>
    </message>
    <message>
        <source>There are too many backups named {stem}.</source>
        <translation>{stem} という名前のバックアップが多すぎます。</translation>
    </message>
    <message>
        <source>Make it writable, then try again.</source>
        <translation>書き込み可能にしてから、もう一度お試しください。</translation>
    </message>
    <message>
        <source>Edit it manually.</source>
        <translation>手作業で編集してください。</translation>
    </message>
    <message>
        <source>it is not a file</source>
        <translation>ファイルではありません</translation>
    </message>
    <message>
        <source>{path} is read-only.</source>
        <translation>{path} は書き込み禁止です。</translation>
    </message>
    <message>
        <source>it can&apos;t be read: {reason}</source>
        <translation>読み取れません: {reason}</translation>
    </message>
    <message>
        <source>&quot;{name}&quot; must be an object: {{ ... }}</source>
        <translation>&quot;{name}&quot; はオブジェクト {{ ... }} でなければなりません</translation>
    </message>
    <message>
        <source>it has no &quot;mcpServers&quot; section</source>
        <translation>サーバーを書く &quot;mcpServers&quot; がありません</translation>
    </message>
    <message>
        <source>it contains no valid servers. {reasons}</source>
        <translation>使えるサーバーがありません。{reasons}</translation>
    </message>
    <message>
        <source>it is not valid TOML</source>
        <translation>正しい TOML ではありません</translation>
    </message>
    <message>
        <source>it is nested too deeply</source>
        <translation>入れ子が深すぎます</translation>
    </message>
    <message>
        <source>it must be a mapping: key: value</source>
        <translation>マッピング（キー: 値）でなければなりません</translation>
    </message>
    <message>
        <source>it is not valid YAML</source>
        <translation>正しい YAML ではありません</translation>
    </message>
    <message>
        <source>A tool key looks like serverId:toolName.</source>
        <translation>ツールキーは serverId:toolName の形です。</translation>
    </message>
    <message>
        <source>&quot;{name}&quot; is not a tool key.</source>
        <translation>「{name}」はツールキーではありません。</translation>
    </message>
    <message>
        <source>&quot;{name}&quot; is not the name of a server&apos;s tool.</source>
        <translation>「{name}」はサーバーのツールの名前ではありません。</translation>
    </message>
    <message>
        <source>its address must start with https://</source>
        <translation>アドレスは https:// で始まる必要があります</translation>
    </message>
    <message>
        <source>its address must start with https:// unless it is a local address</source>
        <translation>このコンピューター上でない限り、アドレスは https:// で始まる必要があります</translation>
    </message>
    <message>
        <source>it rejected the token</source>
        <translation>トークンが拒否されました</translation>
    </message>
    <message>
        <source>its response has no &quot;results&quot;</source>
        <translation>応答に &quot;results&quot; がありません</translation>
    </message>
    <message>
        <source>it failed several times and is paused for one minute</source>
        <translation>続けて失敗したため、1 分間停止しています</translation>
    </message>
    <message>
        <source>no address is set; toolbooth cloud set URL</source>
        <translation>アドレスが設定されていません。toolbooth cloud set URL</translation>
    </message>
    <message>
        <source>it returned {status}</source>
        <translation>応答は {status} でした</translation>
    </message>
    <message>
        <source>its response is too large</source>
        <translation>応答が長すぎます</translation>
    </message>
    <message>
        <source>its response is not JSON</source>
        <translation>応答が JSON ではありません</translation>
    </message>
    <message>
        <source>no response within {seconds} seconds</source>
        <translation>{seconds} 秒以内に応答がありません</translation>
    </message>
    <message>
        <source>{why}: answered by {strategy}</source>
        <translation>{why}。{strategy} で検索しました</translation>
    </message>
    <message>
        <source>cloud search is not set up</source>
        <translation>クラウド検索が設定されていません</translation>
    </message>
    <message>
        <source>{one}; {other}</source>
        <translation>{one}、{other}</translation>
    </message>
    <message>
        <source>cloud search failed ({reason})</source>
        <translation>クラウド検索に失敗しました（{reason}）</translation>
    </message>
    <message>
        <source>the embedding model can&apos;t be used</source>
        <translation>埋め込みモデルを使えません</translation>
    </message>
    <message>
        <source>Install Toolbooth in a folder without spaces in its path.</source>
        <translation>Toolbooth を空白のないフォルダーにインストールしてください。</translation>
    </message>
    <message>
        <source>{app} can&apos;t start {path}, because the path contains a space.</source>
        <translation>{path} には空白があり、{app} から起動できません。</translation>
    </message>
    <message>
        <source>The last workspace can&apos;t be removed.</source>
        <translation>最後のワークスペースは削除できません。</translation>
    </message>
    <message>
        <source>Create another one first.</source>
        <translation>先に別のワークスペースを作成してください。</translation>
    </message>
    <message>
        <source>{message} {hint}</source>
        <translation>{message} {hint}</translation>
    </message>
    <message>
        <source>The sign-in can&apos;t be saved: no keyring is available, and plain text is not allowed.</source>
        <translation>サインインを保存できません。キーリングがなく、平文では保存しません。</translation>
    </message>
    <message>
        <source>Sign in while Toolbooth is running. The sign-in lasts until it stops.</source>
        <translation>Toolbooth の実行中にサインインしてください。サインインは終了するまで有効です。</translation>
    </message>
    <message>
        <source>Put it in an environment variable and refer to it as ${env:NAME}.</source>
        <translation>環境変数に入れて、${env:NAME} として参照してください。</translation>
    </message>
    <message>
        <source>{key} can&apos;t be saved: no keyring is available, and plain text is not allowed.</source>
        <translation>{key} を保存できません。キーリングがなく、平文では保存しません。</translation>
    </message>
    <message>
        <source>List them with: toolbooth script list</source>
        <translation>一覧: toolbooth script list</translation>
    </message>
    <message>
        <source>Processes: at most {most}.</source>
        <translation>プロセス: 最大 {most} 個。</translation>
    </message>
    <message>
        <source>There is no script &quot;{name}&quot;.</source>
        <translation>スクリプト「{name}」はありません。</translation>
    </message>
    <message>
        <source>There is already a script &quot;{name}&quot;.</source>
        <translation>スクリプト「{name}」はすでにあります。</translation>
    </message>
    <message>
        <source>Enter the address and key again.</source>
        <translation>アドレスとキーをもう一度入力してください。</translation>
    </message>
    <message>
        <source>The service can&apos;t be used: {reason}.</source>
        <translation>このサービスは使えません: {reason}。</translation>
    </message>
    <message>
        <source>Fix it there, or remove it and sign in.</source>
        <translation>設定で直すか、削除してからサインインしてください。</translation>
    </message>
    <message>
        <source>{name} runs on this computer and needs no sign-in.</source>
        <translation>{name} はこのコンピューターで起動されるため、サインインは不要です。</translation>
    </message>
    <message>
        <source>{name} uses the token in its settings instead of a sign-in.</source>
        <translation>{name} の設定にはトークンがあり、サインインの代わりに使われます。</translation>
    </message>
    <message>
        <source>The sign-in was cancelled.</source>
        <translation>サインインは中止されました。</translation>
    </message>
    <message>
        <source>The tools of {name} have not been discovered yet.</source>
        <translation>{name} のツールはまだ検出されていません。</translation>
    </message>
    <message>
        <source>Discover them with: toolbooth refresh {server}</source>
        <translation>ツールを検出するには: toolbooth refresh {server}</translation>
    </message>
    <message>
        <source>There is no tool {tool}.</source>
        <translation>ツール {tool} はありません。</translation>
    </message>
    <message>
        <source>List them with: toolbooth tools {server}</source>
        <translation>一覧: toolbooth tools {server}</translation>
    </message>
    <message>
        <source>Change its variables and restart Toolbooth.</source>
        <translation>環境変数を変更して、Toolbooth を起動し直してください。</translation>
    </message>
    <message>
        <source>{name} is set by environment variables and can&apos;t be changed here.</source>
        <translation>{name} は環境変数で設定されているため、ここでは変更できません。</translation>
    </message>
    <message>
        <source>A token for a project or for specific servers also needs a workspace.</source>
        <translation>プロジェクトや一部のサーバー用のトークンには、ワークスペースの指定も必要です。</translation>
    </message>
    <message>
        <source>Add --workspace.</source>
        <translation>--workspace を付けてください。</translation>
    </message>
    <message>
        <source>It must be a folder that you can read and write.</source>
        <translation>読み書きできるフォルダーでなければなりません。</translation>
    </message>
    <message>
        <source>Use up to 64 lowercase letters, digits, - and _.</source>
        <translation>64 文字までの英小文字、数字、-、_ を使ってください。</translation>
    </message>
    <message>
        <source>&quot;{workspace}&quot; is not a valid workspace ID.</source>
        <translation>「{workspace}」はワークスペースの ID に使えません。</translation>
    </message>
    <message>
        <source>The workspace &quot;{workspace}&quot; already exists.</source>
        <translation>ワークスペース「{workspace}」はすでにあります。</translation>
    </message>
    <message>
        <source>These can be restored: {names}.</source>
        <translation>元に戻せるもの: {names}。</translation>
    </message>
    <message>
        <source>The workspace &quot;{workspace}&quot; can&apos;t be restored.</source>
        <translation>ワークスペース「{workspace}」は元に戻せません。</translation>
    </message>
    <message>
        <source>Try again in a moment.</source>
        <translation>少し待ってから、もう一度お試しください。</translation>
    </message>
    <message>
        <source>Check the disk space and the folder&apos;s permissions. Nothing was changed.</source>
        <translation>ディスクの空き容量とフォルダーのアクセス権を確認してください。何も変更されていません。</translation>
    </message>
    <message>
        <source>{path} is in use by another process.</source>
        <translation>{path} は別のプロセスが使用中です。</translation>
    </message>
    <message>
        <source>Can&apos;t write {path}: {reason}.</source>
        <translation>{path} に書き込めません: {reason}。</translation>
    </message>
    <message>
        <source>Toolbooth is already running (process {pid}, {url}).</source>
        <translation>Toolbooth はすでに実行中です（プロセス {pid}、{url}）。</translation>
    </message>
    <message>
        <source>Toolbooth is already running.</source>
        <translation>Toolbooth はすでに実行中です。</translation>
    </message>
    <message>
        <source>Toolbooth is already running (process {pid}).</source>
        <translation>Toolbooth はすでに実行中です（プロセス {pid}）。</translation>
    </message>
    <message>
        <source>Use the running instance, or stop it first.</source>
        <translation>実行中のものを使うか、先に終了してください。</translation>
    </message>
    <message>
        <source>it must be an object: { ... }</source>
        <translation>オブジェクト { ... } でなければなりません</translation>
    </message>
    <message>
        <source>A person confirms commands that approve something or loosen permissions.</source>
        <translation>何かを承認したり権限を緩めたりするコマンドを、人が確認します。</translation>
    </message>
    <message>
        <source>The maximum size of one message of a server, such as a result, in MB.</source>
        <translation>サーバーからの 1 件のメッセージ（結果など）の最大サイズ（MB）。</translation>
    </message>
    <message>
        <source>How many client sessions there may be at once, and half of all connections.</source>
        <translation>同時に開けるクライアントセッションの最大数。接続数の上限はその 2 倍です。</translation>
    </message>
    <message>
        <source>Started as configured: neither uv nor a Python with its venv module is installed.</source>
        <translation>設定どおりに起動されます：uv も、venv モジュールの使える Python もインストールされていません。</translation>
    </message>
    <message>
        <source>Started as configured: uv is not installed.</source>
        <translation>設定どおりに起動されます：uv がインストールされていません。</translation>
    </message>
    <message>
        <source>Started by {0} as configured: {1} is not a program of a package.</source>
        <translation>設定どおりに {0} が起動します：{1} はパッケージのプログラムではありません。</translation>
    </message>
    <message>
        <source>Started by {0} as configured: {1} may change what it runs.</source>
        <translation>設定どおりに {0} が起動します：{1} によって、実行されるものが変わることがあります。</translation>
    </message>
    <message>
        <source>Started as configured: {0} downloads {1} when it starts.</source>
        <translation>設定どおりに起動されます：{0} は起動時に {1} をダウンロードします。</translation>
    </message>
    <message>
        <source>Edit it as that user, or copy it to a file of your own.</source>
        <translation>そのユーザーとして編集するか、自分のファイルにコピーしてください。</translation>
    </message>
    <message>
        <source>it is larger than {size} MB</source>
        <translation>{size} MB を超えています</translation>
    </message>
    <message>
        <source>{path} belongs to another user.</source>
        <translation>{path} は別のユーザーのファイルです。</translation>
    </message>
    <message>
        <source>it has too many values or levels</source>
        <translation>値または階層が多すぎます</translation>
    </message>
    <message>
        <source>&quot;{name}&quot; is the name of several tools.</source>
        <translation>「{name}」という名前のツールが複数あります。</translation>
    </message>
    <message>
        <source>Give a toolKey: {keys}</source>
        <translation>toolKey で指定してください：{keys}</translation>
    </message>
    <message>
        <source>Share it if you trust this server, or discover it without a sandbox.</source>
        <translation>このサーバーを信頼できる場合は共有するか、サンドボックスなしで検出してください。</translation>
    </message>
    <message>
        <source>Needs files that the sandbox doesn’t give it</source>
        <translation>サンドボックスが見せていないファイルが必要です</translation>
    </message>
    <message>
        <source>Discover it without a sandbox if you trust it.</source>
        <translation>信頼できる場合は、サンドボックスなしで検出してください。</translation>
    </message>
    <message>
        <source>Needs to write to {path} for discovery</source>
        <translation>検出するには {path} への書き込みが必要です</translation>
    </message>
    <message>
        <source>Needs to read {path} for discovery</source>
        <translation>検出するには {path} の読み取りが必要です</translation>
    </message>
    <message>
        <source>Check that this is the address of an MCP server, and that the server works.</source>
        <translation>MCP サーバーのアドレスであること、サーバーが動作していることを確認してください。</translation>
    </message>
    <message>
        <source>If it needs longer, raise the timeout for calls.</source>
        <translation>もっと時間が必要な場合は、呼び出しのタイムアウトを延ばしてください。</translation>
    </message>
    <message>
        <source>Stopped responding</source>
        <translation>応答しなくなりました</translation>
    </message>
    <message>
        <source>It is restarted for the next call. If its tools need longer, raise the timeout for calls.</source>
        <translation>次の呼び出しで再起動されます。ツールの処理に時間がかかる場合は、呼び出しのタイムアウトを延ばしてください。</translation>
    </message>
    <message>
        <source>Check its settings, and that what it needs is running, then try again.</source>
        <translation>サーバーの設定と、サーバーが利用するもの（データベースなど）が動いていることを確認してから、もう一度お試しください。</translation>
    </message>
    <message>
        <source>Ask it for less at a time, or raise the limit for its messages.</source>
        <translation>一度に要求するデータを減らすか、メッセージサイズの上限を上げてください。</translation>
    </message>
    <message>
        <source>Try again, or choose another version of the package.</source>
        <translation>もう一度試すか、パッケージの別のバージョンを選んでください。</translation>
    </message>
    <message>
        <source>Package {name} not found</source>
        <translation>パッケージ {name} が見つかりません</translation>
    </message>
    <message>
        <source>Check its name and version in the server’s command.</source>
        <translation>サーバーのコマンドにあるパッケージの名前とバージョンを確認してください。</translation>
    </message>
    <message>
        <source>Check your network connection, proxy and package registry, then try again.</source>
        <translation>ネットワーク接続、プロキシ、パッケージのレジストリを確認して、もう一度お試しください。</translation>
    </message>
    <message>
        <source>Python {version} is needed</source>
        <translation>Python {version} が必要です</translation>
    </message>
    <message>
        <source>Install it, or install uv (https://docs.astral.sh/uv), which downloads it. Then try again.</source>
        <translation>インストールするか、自動でダウンロードする uv (https://docs.astral.sh/uv) をインストールしてから、もう一度お試しください。</translation>
    </message>
    <message>
        <source>Not started: what would run is not what was downloaded. Download it again.</source>
        <translation>起動していません。実行されるものが、取得したものと異なっています。もう一度取得してください。</translation>
    </message>
    <message>
        <source>May read and write {path}.</source>
        <translation>{path} の読み書き可。</translation>
    </message>
    <message>
        <source>May read {path}.</source>
        <translation>{path} の読み取り可。</translation>
    </message>
    <message>
        <source>Connected, but got no response within {time}</source>
        <translation>接続できましたが、{time} 以内に応答がありません</translation>
    </message>
    <message>
        <source>Reported an error: {words}</source>
        <translation>サーバーがエラーを返しました: {words}</translation>
    </message>
    <message>
        <source>Sent more than {limit} at once</source>
        <translation>一度に {limit} を超えるデータを送信しました</translation>
    </message>
    <message>
        <source>The downloaded package {name} was changed on disk</source>
        <translation>取得したパッケージ {name} がディスク上で変更されました</translation>
    </message>
    <message>
        <source>its address contains a user name; enter only a key</source>
        <translation>アドレスにユーザー名が含まれています。キーだけを入力してください</translation>
    </message>
    <message>
        <source>its address must end before &quot;?&quot; and &quot;#&quot;</source>
        <translation>アドレスに「?」や「#」以降を含めることはできません</translation>
    </message>
    <message>
        <source>its address is not a valid URL</source>
        <translation>アドレスが有効な URL ではありません</translation>
    </message>
    <message>
        <source>it uses another version of the protocol</source>
        <translation>プロトコルのバージョンが異なります</translation>
    </message>
    <message>
        <source>none of its results can be used</source>
        <translation>使える結果がありません</translation>
    </message>
    <message>
        <source>its key contains invalid characters</source>
        <translation>キーに使用できない文字が含まれています</translation>
    </message>
    <message>
        <source>it can&apos;t be reached</source>
        <translation>接続できません</translation>
    </message>
    <message>
        <source>Too many commands already wait to be confirmed.</source>
        <translation>確認待ちのコマンドが多すぎます。</translation>
    </message>
    <message>
        <source>This command was declined in Toolbooth&apos;s window.</source>
        <translation>このコマンドは Toolbooth のウィンドウで拒否されました。</translation>
    </message>
    <message>
        <source>Nobody confirmed this command in Toolbooth&apos;s window in time.</source>
        <translation>このコマンドは時間内に Toolbooth のウィンドウで確認されませんでした。</translation>
    </message>
    <message>
        <source>This command no longer waits to be confirmed.</source>
        <translation>このコマンドはもう確認待ちではありません。</translation>
    </message>
    <message>
        <source>There is no file or folder {path}.</source>
        <translation>ファイルまたはフォルダー {path} はありません。</translation>
    </message>
    <message>
        <source>{path} can’t be shared: it holds too much.</source>
        <translation>{path} は共有できません。含まれるものが多すぎます。</translation>
    </message>
    <message>
        <source>Share a folder in it, or discover the server without a sandbox.</source>
        <translation>その中のフォルダーを共有するか、サンドボックスなしでサーバーを検出してください。</translation>
    </message>
    <message>
        <source>The server was saved, but its command is not approved. Approve it when this file can be used.</source>
        <translation>サーバーは保存されましたが、そのコマンドはまだ承認されていません。このファイルが使えるようになったら承認してください。</translation>
    </message>
    <message>
        <source>The tools of {name} are still being discovered after {limit} s.</source>
        <translation>{name} のツールは、{limit} 秒たってもまだ検出中です。</translation>
    </message>
    <message>
        <source>Check the disk and the folder&apos;s permissions.</source>
        <translation>ディスクとフォルダーのアクセス権を確認してください。</translation>
    </message>
    <message>
        <source>Check the disk space and the folder&apos;s permissions.</source>
        <translation>ディスクの空き容量とフォルダーのアクセス権を確認してください。</translation>
    </message>
    <message>
        <source>Can&apos;t read {path}: {reason}.</source>
        <translation>{path} を読み取れません: {reason}</translation>
    </message>
    <message>
        <source>There are no removed workspaces.</source>
        <translation>削除されたワークスペースはありません。</translation>
    </message>
    <message>
        <source>{folder} can&apos;t be read: {reason}.</source>
        <translation>{folder} を読み取れません: {reason}</translation>
    </message>
    <message>
        <source>it is not a key</source>
        <translation>鍵ではありません</translation>
    </message>
    <message>
        <source>it can&apos;t be read ({reason})</source>
        <translation>読み取れません ({reason})</translation>
    </message>
    <message>
        <source>Can&apos;t use {path}: {reason}.</source>
        <translation>{path} を使用できません: {reason}</translation>
    </message>
    <message>
        <source>It was left as it is. Repair it, or move it away to start without it.</source>
        <translation>ファイルはそのまま残してあります。修復するか、別の場所に移して新しく始めてください。</translation>
    </message>
    <message>
        <source>it is not a JSON object</source>
        <translation>JSON オブジェクトではありません</translation>
    </message>
    <message>
        <source>its format version is missing</source>
        <translation>形式のバージョンがありません</translation>
    </message>
    <message>
        <source>it was written by a newer version of Toolbooth</source>
        <translation>より新しいバージョンの Toolbooth で書き込まれました</translation>
    </message>
    <message>
        <source>it is not valid JSON (line {line}: {reason})</source>
        <translation>有効な JSON ではありません ({line} 行目: {reason})</translation>
    </message>
    <message>
        <source>{key} is missing</source>
        <translation>{key} がありません</translation>
    </message>
    <message>
        <source>it is too large</source>
        <translation>大きすぎます</translation>
    </message>
    <message>
        <source>JSON does not allow comments</source>
        <translation>JSON にコメントは書けません</translation>
    </message>
    <message>
        <source>trailing comma before a closing bracket</source>
        <translation>閉じ括弧の前に余分なコンマがあります</translation>
    </message>
    <message>
        <source>invalid JSON number ({reason})</source>
        <translation>JSON で使えない数値があります（{reason}）</translation>
    </message>
    <message>
        <source>duplicate key &quot;{name}&quot;</source>
        <translation>キー &quot;{name}&quot; が 2 回あります</translation>
    </message>
    <message>
        <source>&quot;mcpServers&quot; is missing</source>
        <translation>&quot;mcpServers&quot; がありません</translation>
    </message>
    <message>
        <source>&quot;{key}&quot; must be a whole number</source>
        <translation>&quot;{key}&quot; は整数でなければなりません</translation>
    </message>
    <message>
        <source>it was written by a newer version of Toolbooth (format version {version}; this one supports up to {known})</source>
        <translation>より新しい Toolbooth で書かれています（形式のバージョン {version}。この Toolbooth は {known} まで対応）</translation>
    </message>
    <message>
        <source>it is too large for a script</source>
        <translation>スクリプトとしては大きすぎます</translation>
    </message>
    <message>
        <source>Without a keyring, put the value in an environment variable and refer to it as ${env:NAME}.</source>
        <translation>キーリングがない場合は、値を環境変数に入れて ${env:NAME} として参照してください。</translation>
    </message>
    <message>
        <source>The system&apos;s keyring can&apos;t be used ({kind}).</source>
        <translation>システムのキーリングを使えません（{kind}）。</translation>
    </message>
    <message>
        <source>Edit the server and enter it again.</source>
        <translation>サーバーを編集して、もう一度入力してください。</translation>
    </message>
    <message>
        <source>Set the environment variable {name}, then start Toolbooth again.</source>
        <translation>環境変数 {name} を設定して、Toolbooth を起動し直してください。</translation>
    </message>
    <message>
        <source>The keyring has no secret named {name}.</source>
        <translation>キーリングに {name} というシークレットはありません。</translation>
    </message>
    <message>
        <source>The keyring did not respond within {seconds} seconds.</source>
        <translation>キーリングが {seconds} 秒以内に応答しませんでした。</translation>
    </message>
    <message>
        <source>Unlock it, then try again. {otherwise}</source>
        <translation>ロックを解除してから、もう一度お試しください。{otherwise}</translation>
    </message>
    <message>
        <source>A token needs a name.</source>
        <translation>トークンには名前が必要です。</translation>
    </message>
    <message>
        <source>Name it after the app that uses it.</source>
        <translation>使用するアプリの名前を付けてください。</translation>
    </message>
    <message>
        <source>List them with: toolbooth token list</source>
        <translation>一覧: toolbooth token list</translation>
    </message>
    <message>
        <source>There is no token &quot;{name}&quot;.</source>
        <translation>トークン「{name}」はありません。</translation>
    </message>
    <message>
        <source>Several tokens are named &quot;{name}&quot;.</source>
        <translation>「{name}」という名前のトークンが複数あります。</translation>
    </message>
    <message>
        <source>Use the id: {ids}.</source>
        <translation>ID で指定してください: {ids}。</translation>
    </message>
    <message>
        <source>There is no refresh token.</source>
        <translation>リフレッシュトークンがありません。</translation>
    </message>
    <message>
        <source>Only https:// is accepted, or http:// on this computer.</source>
        <translation>https://、またはこのコンピューター上の http:// だけを使えます。</translation>
    </message>
    <message>
        <source>The server gave an invalid sign-in address.</source>
        <translation>サーバーが示したサインイン先のアドレスが正しくありません。</translation>
    </message>
    <message>
        <source>The server&apos;s sign-in address {shown} is not secure.</source>
        <translation>サーバーが示したサインイン先 {shown} は安全ではありません。</translation>
    </message>
    <message>
        <source>Register Toolbooth there and set its &quot;clientId&quot; under &quot;oauth&quot; in the server&apos;s settings.</source>
        <translation>そこで Toolbooth を登録し、サーバーの設定の &quot;oauth&quot; に &quot;clientId&quot; を入れてください。</translation>
    </message>
    <message>
        <source>{host} only accepts registered programs.</source>
        <translation>{host} には、登録済みのプログラムだけがサインインできます。</translation>
    </message>
    <message>
        <source>{host} refused to register Toolbooth ({reason}).</source>
        <translation>{host} は Toolbooth の登録を拒否しました（{reason}）。</translation>
    </message>
    <message>
        <source>{host} returned an invalid registration.</source>
        <translation>{host} から返された登録情報が正しくありません。</translation>
    </message>
    <message>
        <source>{host} redirected too many times.</source>
        <translation>{host} のリダイレクトが多すぎます。</translation>
    </message>
    <message>
        <source>Toolbooth blocked this because the server itself is elsewhere. Report it to the server&apos;s author.</source>
        <translation>サーバー自体はそこにないため、拒否しました。作者に知らせてください。</translation>
    </message>
    <message>
        <source>{host} has no IP address.</source>
        <translation>{host} には IP アドレスがありません。</translation>
    </message>
    <message>
        <source>The server redirects to {host}, which is on your own network or computer.</source>
        <translation>サーバーが示した {host} は、このコンピューターまたは内部ネットワークの中にあります。</translation>
    </message>
    <message>
        <source>Check your network connection.</source>
        <translation>ネットワークを確認してください。</translation>
    </message>
    <message>
        <source>{host} did not respond within {seconds} seconds.</source>
        <translation>{host} が {seconds} 秒以内に応答しませんでした。</translation>
    </message>
    <message>
        <source>The sign-in timed out after {minutes} minutes.</source>
        <translation>{minutes} 分以内にサインインが完了しませんでした。</translation>
    </message>
    <message>
        <source>{host} can&apos;t be found.</source>
        <translation>{host} が見つかりません。</translation>
    </message>
    <message>
        <source>The sign-in response does not name its issuer.</source>
        <translation>サインインの応答に発行元が示されていません。</translation>
    </message>
    <message>
        <source>The sign-in response came from a different issuer.</source>
        <translation>サインインの応答が別の発行元から届きました。</translation>
    </message>
    <message>
        <source>Close the program that uses this port, then try again.</source>
        <translation>このポートを使っているプログラムを終了してから、もう一度お試しください。</translation>
    </message>
    <message>
        <source>The sign-in was denied ({reason}).</source>
        <translation>サインインが拒否されました（{reason}）。</translation>
    </message>
    <message>
        <source>Toolbooth can&apos;t listen for your browser on 127.0.0.1:{port}: {reason}.</source>
        <translation>127.0.0.1:{port} でブラウザーを待てません: {reason}。</translation>
    </message>
    <message>
        <source>Add a token or header in its settings instead, or report this to its author.</source>
        <translation>代わりにトークンまたはヘッダーを設定に追加するか、作者に知らせてください。</translation>
    </message>
    <message>
        <source>The server&apos;s sign-in is for a different address.</source>
        <translation>このサーバーのサインインは、別のアドレス用です。</translation>
    </message>
    <message>
        <source>The server does not say where to sign in.</source>
        <translation>サーバーがサインイン先を示していません。</translation>
    </message>
    <message>
        <source>{host} does not say how to sign in.</source>
        <translation>{host} がサインインの方法を示していません。</translation>
    </message>
    <message>
        <source>{host} claims to be another authorization server.</source>
        <translation>{host} は別の認可サーバーを名乗っています。</translation>
    </message>
    <message>
        <source>{host} does not support PKCE with S256.</source>
        <translation>{host} は S256 の PKCE に対応していません。</translation>
    </message>
    <message>
        <source>{host} returned HTTP {status}.</source>
        <translation>{host} の応答は HTTP {status} でした。</translation>
    </message>
    <message>
        <source>{host} did not issue a token (HTTP {status}, {reason}).</source>
        <translation>{host} はトークンを発行しませんでした（HTTP {status}、{reason}）。</translation>
    </message>
    <message>
        <source>{host} returned an invalid token.</source>
        <translation>{host} から使えないトークンが返されました。</translation>
    </message>
    <message>
        <source>Not found on this computer</source>
        <translation>このコンピューターにはありません</translation>
    </message>
    <message>
        <source>Set up manually</source>
        <translation>手動で設定</translation>
    </message>
    <message>
        <source>Can’t read file</source>
        <translation>読み取れません</translation>
    </message>
    <message>
        <source>Update…</source>
        <translation>更新…</translation>
    </message>
    <message>
        <source>Outdated URL</source>
        <translation>以前の URL</translation>
    </message>
    <message>
        <source>Disconnect</source>
        <translation>切断</translation>
    </message>
    <message>
        <source>Connected</source>
        <translation>接続済み</translation>
    </message>
    <message>
        <source>Preview</source>
        <translation>プレビュー</translation>
    </message>
    <message>
        <source>Uses the built-in bridge</source>
        <translation>内蔵ブリッジを使用</translation>
    </message>
    <message>
        <source>Keeps comments</source>
        <translation>コメントは残ります</translation>
    </message>
    <message numerus="yes">
        <source>%n other apps</source>
        <translation>
            <numerusform>ほか %n 個のアプリ</numerusform>
        </translation>
    </message>
    <message>
        <source>, </source>
        <translation>、</translation>
    </message>
    <message>
        <source>{first} and {last}</source>
        <translation>{first} と {last}</translation>
    </message>
    <message numerus="yes">
        <source>We found %n servers in {apps} on this computer.</source>
        <translation>
            <numerusform>このコンピューターの {apps} に %n 台のサーバーが見つかりました。</numerusform>
        </translation>
    </message>
    <message>
        <source>Already added</source>
        <translation>追加済み</translation>
    </message>
    <message>
        <source>Same as in {app}</source>
        <translation>{app} と同じ</translation>
    </message>
    <message>
        <source>Command: {command}</source>
        <translation>コマンド: {command}</translation>
    </message>
    <message>
        <source>Environment variables: {names}</source>
        <translation>環境変数: {names}</translation>
    </message>
    <message>
        <source>Changed</source>
        <translation>変更あり</translation>
    </message>
    <message>
        <source>New</source>
        <translation>新規</translation>
    </message>
    <message>
        <source>Hidden text in {where}: {words}</source>
        <translation>{where} に見えない文字: {words}</translation>
    </message>
    <message>
        <source>Possible prompt injection in {where}: {words}</source>
        <translation>{where} にプロンプトインジェクションの疑い: {words}</translation>
    </message>
    <message>
        <source>“{}”</source>
        <translation>「{}」</translation>
    </message>
    <message>
        <source>This has no command and no URL.</source>
        <translation>コマンドもアドレスも書かれていません。</translation>
    </message>
    <message>
        <source>“{text}” has no value.</source>
        <translation>「{text}」に値がありません。</translation>
    </message>
    <message>
        <source>The JSON in this command is invalid.</source>
        <translation>このコマンドの JSON が正しくありません。</translation>
    </message>
    <message>
        <source>This link is too long to add a server.</source>
        <translation>このリンクは長すぎるため、サーバーを追加するリンクとして扱えません。</translation>
    </message>
    <message>
        <source>This link does not describe a server.</source>
        <translation>このリンクはサーバーを表していません。</translation>
    </message>
    <message>
        <source>This link contains invisible characters.</source>
        <translation>このリンクには見えない文字が隠されています。</translation>
    </message>
    <message>
        <source>Called {tool} with {arguments}</source>
        <translation>{tool} を {arguments} で呼び出しました</translation>
    </message>
    <message>
        <source>Not called: {tool} with {arguments}</source>
        <translation>呼び出していません: {tool} ({arguments})</translation>
    </message>
    <message>
        <source>Printed:</source>
        <translation>出力:</translation>
    </message>
    <message>
        <source>no result</source>
        <translation>結果なし</translation>
    </message>
    <message>
        <source>Result: {result}</source>
        <translation>結果: {result}</translation>
    </message>
    <message>
        <source>It has not run yet. What it accesses during discovery will be shown here.</source>
        <translation>まだ実行されていません。検出中にアクセスしたものがここに表示されます。</translation>
    </message>
    <message>
        <source>Its activity could not be recorded.</source>
        <translation>動作を記録できませんでした。</translation>
    </message>
    <message numerus="yes">
        <source>%n files outside its home folder</source>
        <translation>
            <numerusform>ホーム外のファイル %n 個</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n hosts</source>
        <translation>
            <numerusform>ホスト %n 個</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n programs</source>
        <translation>
            <numerusform>プログラム %n 個</numerusform>
        </translation>
    </message>
    <message>
        <source>Tried to access: {what}</source>
        <translation>アクセスを試みたもの: {what}</translation>
    </message>
    <message>
        <source>It didn’t try to access anything else.</source>
        <translation>ほかには何もアクセスしようとしていません。</translation>
    </message>
    <message>
        <source>Files outside its home folder</source>
        <translation>ホーム外のファイル</translation>
    </message>
    <message>
        <source>Hosts</source>
        <translation>ホスト</translation>
    </message>
    <message>
        <source>Programs</source>
        <translation>プログラム</translation>
    </message>
    <message>
        <source>Protection</source>
        <translation>保護</translation>
    </message>
    <message>
        <source>Not recorded</source>
        <translation>記録なし</translation>
    </message>
    <message>
        <source>none</source>
        <translation>なし</translation>
    </message>
    <message numerus="yes">
        <source>and %n more</source>
        <translation>
            <numerusform>ほか %n 件</numerusform>
        </translation>
    </message>
    <message>
        <source>Package</source>
        <translation>パッケージ</translation>
    </message>
    <message numerus="yes">
        <source>%n more attempts are not listed.</source>
        <translation>
            <numerusform>ほかに試みたこと %n 件は記載されていません。</numerusform>
        </translation>
    </message>
    <message>
        <source>Suspicious</source>
        <translation>不審</translation>
    </message>
    <message>
        <source>New: hidden from apps until you approve it</source>
        <translation>新規: 承認するまで、どのアプリにも表示されません</translation>
    </message>
    <message>
        <source>Changed: hidden from apps until you approve it</source>
        <translation>変更あり: 承認するまで、どのアプリにも表示されません</translation>
    </message>
    <message>
        <source>Looks suspicious, but apps can use it</source>
        <translation>不審な点があります。アプリは使用できる状態です</translation>
    </message>
    <message>
        <source>Prompt {name}</source>
        <translation>プロンプト {name}</translation>
    </message>
    <message>
        <source>Resource {name}</source>
        <translation>リソース {name}</translation>
    </message>
    <message>
        <source>Resource template {name}</source>
        <translation>リソーステンプレート {name}</translation>
    </message>
    <message>
        <source>Server instructions</source>
        <translation>サーバーの説明と指示</translation>
    </message>
    <message>
        <source>Parts of the list are not shown: {what}.</source>
        <translation>一覧の一部は表示されていません: {what}。</translation>
    </message>
    <message>
        <source>Its prompts could not be listed: {why}</source>
        <translation>プロンプトの一覧を取得できませんでした: {why}</translation>
    </message>
    <message>
        <source>Its resources could not be listed: {why}</source>
        <translation>リソースの一覧を取得できませんでした: {why}</translation>
    </message>
    <message>
        <source>Its resource templates could not be listed: {why}</source>
        <translation>リソーステンプレートの一覧を取得できませんでした: {why}</translation>
    </message>
    <message numerus="yes">
        <source>%n tools over the limit in Settings</source>
        <translation>
            <numerusform>設定の上限を超えたツール %n 個</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n prompts and resources over the limit</source>
        <translation>
            <numerusform>上限を超えたプロンプトとリソース %n 個</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n tools with an invalid name</source>
        <translation>
            <numerusform>名前が無効なツール %n 個</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n tools with a duplicate name</source>
        <translation>
            <numerusform>名前が重複するツール %n 個</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n descriptions shortened</source>
        <translation>
            <numerusform>短縮した説明 %n 件</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n schemas too large</source>
        <translation>
            <numerusform>大きすぎるスキーマ %n 個</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n schemas nested too deeply</source>
        <translation>
            <numerusform>深すぎるスキーマ %n 個</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n parameter descriptions shortened</source>
        <translation>
            <numerusform>短縮した引数の説明 %n 件</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n schema compositions removed</source>
        <translation>
            <numerusform>省いたスキーマの合成部分 %n 個</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n external references removed</source>
        <translation>
            <numerusform>省いた外部への参照 %n 個</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n texts with HTML removed</source>
        <translation>
            <numerusform>HTML を取り除いた文 %n 件</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n texts with hidden characters removed</source>
        <translation>
            <numerusform>隠し文字を取り除いた文 %n 件</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n icons removed</source>
        <translation>
            <numerusform>省いたアイコン %n 個</numerusform>
        </translation>
    </message>
    <message>
        <source>Time</source>
        <translation>時刻</translation>
    </message>
    <message>
        <source>App</source>
        <translation>アプリ</translation>
    </message>
    <message>
        <source>Workspace</source>
        <translation>ワークスペース</translation>
    </message>
    <message>
        <source>Project</source>
        <translation>プロジェクト</translation>
    </message>
    <message>
        <source>Server</source>
        <translation>サーバー</translation>
    </message>
    <message>
        <source>Query</source>
        <translation>検索語</translation>
    </message>
    <message>
        <source>Tools found</source>
        <translation>見つかったツール</translation>
    </message>
    <message>
        <source>Tools listed</source>
        <translation>一覧のツール</translation>
    </message>
    <message>
        <source>Tokens sent</source>
        <translation>送信トークン</translation>
    </message>
    <message>
        <source>Tokens returned</source>
        <translation>返答トークン</translation>
    </message>
    <message>
        <source>Tokens saved</source>
        <translation>削減トークン</translation>
    </message>
    <message>
        <source>Duration</source>
        <translation>所要時間</translation>
    </message>
    <message>
        <source>Couldn’t write the file: {reason}</source>
        <translation>ファイルに書き込めませんでした: {reason}</translation>
    </message>
    <message>
        <source>Choose another location.</source>
        <translation>別の場所を選んでください。</translation>
    </message>
    <message>
        <source>Which activity to show</source>
        <translation>表示するアクティビティ</translation>
    </message>
    <message>
        <source>All</source>
        <translation>すべて</translation>
    </message>
    <message>
        <source>Searches</source>
        <translation>検索</translation>
    </message>
    <message>
        <source>Calls</source>
        <translation>呼び出し</translation>
    </message>
    <message>
        <source>Errors</source>
        <translation>エラー</translation>
    </message>
    <message>
        <source>Allow</source>
        <translation>許可</translation>
    </message>
    <message>
        <source>Ask</source>
        <translation>確認</translation>
    </message>
    <message>
        <source>Block</source>
        <translation>拒否</translation>
    </message>
    <message>
        <source>all servers</source>
        <translation>すべてのサーバー</translation>
    </message>
    <message>
        <source>all tools</source>
        <translation>すべてのツール</translation>
    </message>
    <message>
        <source>prompts {pattern}</source>
        <translation>プロンプト {pattern}</translation>
    </message>
    <message>
        <source>resources {pattern}</source>
        <translation>リソース {pattern}</translation>
    </message>
    <message>
        <source>that only read</source>
        <translation>（読み取りのみ）</translation>
    </message>
    <message>
        <source>that write</source>
        <translation>（書き込みあり）</translation>
    </message>
    <message>
        <source>that are destructive</source>
        <translation>（破壊的）</translation>
    </message>
    <message>
        <source>that are not destructive</source>
        <translation>（破壊的でない）</translation>
    </message>
    <message>
        <source>that access external systems</source>
        <translation>（外部に接続）</translation>
    </message>
    <message>
        <source>that stay local</source>
        <translation>（外部に接続しない）</translation>
    </message>
    <message>
        <source>with {pairs}</source>
        <translation>（{pairs}）</translation>
    </message>
    <message>
        <source>Pass it as an environment variable instead. Those are stored in the keyring.</source>
        <translation>環境変数で渡してください。値はキーリングに保存されます。</translation>
    </message>
    <message>
        <source>Pass it as a header instead. Those are stored in the keyring.</source>
        <translation>ヘッダーで渡してください。値はキーリングに保存されます。</translation>
    </message>
    <message>
        <source>A secret is stored as plain text in workspace.json ({places})</source>
        <translation>シークレットが workspace.json に平文で保存されています（{places}）</translation>
    </message>
    <message>
        <source>No keyring available: {names} is only kept until Toolbooth stops</source>
        <translation>キーリングがないため、{names} は Toolbooth の終了までしか保存されません</translation>
    </message>
    <message>
        <source>Set up a keyring (GNOME Keyring or KWallet), then save the server again.</source>
        <translation>キーリング（GNOME Keyring または KWallet）を用意し、サーバーを保存し直してください。</translation>
    </message>
    <message>
        <source>exact name</source>
        <translation>名前が一致</translation>
    </message>
    <message>
        <source>matches: {words}</source>
        <translation>一致語: {words}</translation>
    </message>
    <message>
        <source>similarity {share}</source>
        <translation>類似度 {share}</translation>
    </message>
    <message>
        <source>used before for this</source>
        <translation>以前この用途で使用</translation>
    </message>
    <message>
        <source>{name} is required.</source>
        <translation>{name} は必須です。</translation>
    </message>
    <message>
        <source>required</source>
        <translation>必須</translation>
    </message>
    <message>
        <source>{name} is not a whole number.</source>
        <translation>{name} は整数ではありません。</translation>
    </message>
    <message>
        <source>{name} is not a valid date. Example: {example}.</source>
        <translation>{name} は日付として読めません。例: {example}</translation>
    </message>
    <message>
        <source>{name} is not a number.</source>
        <translation>{name} は数値ではありません。</translation>
    </message>
    <message>
        <source>{name} is not valid JSON: {problem}.</source>
        <translation>{name} は JSON として読めません: {problem}</translation>
    </message>
    <message>
        <source>Sends queries and tool descriptions to the provider you choose.</source>
        <translation>検索語とツールの説明を、選んだ提供元に送信します。</translation>
    </message>
    <message>
        <source>Not set up.</source>
        <translation>未設定です。</translation>
    </message>
    <message>
        <source>Apps search for the tools they need, then call them.</source>
        <translation>アプリは必要なツールを検索して、呼び出します。</translation>
    </message>
    <message>
        <source>Apps browse servers step by step and combine calls in scripts, using five tools.</source>
        <translation>アプリは 5 個のツールでサーバーを段階的に調べ、呼び出しをスクリプトにまとめます。</translation>
    </message>
</context>
<context>
    <name>AboutPage</name>
    <message>
        <source>About</source>
        <translation>このアプリについて</translation>
    </message>
    <message>
        <source>One local endpoint for all your MCP servers.</source>
        <translation>すべての MCP サーバーへのひとつの入口。</translation>
    </message>
    <message>
        <source>Copy version details</source>
        <translation>バージョン情報をコピー</translation>
    </message>
    <message>
        <source>version, update, help, support</source>
        <translation>バージョン、更新、アップデート、ヘルプ、サポート、version, update, help, support</translation>
    </message>
    <message>
        <source>licences, licenses, open source</source>
        <translation>ライセンス、オープンソース、licences, licenses, open source</translation>
    </message>
    <message>
        <source>Licences</source>
        <translation>ライセンス</translation>
    </message>
</context>
<context>
    <name>ActivityCard</name>
    <message>
        <source>Open the Activity page</source>
        <translation>アクティビティのページを開く</translation>
    </message>
    <message>
        <source>Activity</source>
        <translation>アクティビティ</translation>
    </message>
    <message>
        <source>No activity yet. Searches and calls from your apps appear here.</source>
        <translation>まだ何もありません。アプリの検索と呼び出しがここに表示されます。</translation>
    </message>
</context>
<context>
    <name>ActivityModel</name>
    <message>
        <source>Time</source>
        <translation>時刻</translation>
    </message>
    <message>
        <source>App</source>
        <translation>アプリ</translation>
    </message>
    <message>
        <source>Kind</source>
        <translation>種類</translation>
    </message>
    <message>
        <source>What happened</source>
        <translation>内容</translation>
    </message>
    <message>
        <source>Duration</source>
        <translation>所要時間</translation>
    </message>
    <message>
        <source>Tokens</source>
        <translation>トークン</translation>
    </message>
</context>
<context>
    <name>ActivityPage</name>
    <message>
        <source>Export…</source>
        <translation>書き出す…</translation>
    </message>
    <message>
        <source>Activity</source>
        <translation>アクティビティ</translation>
    </message>
    <message>
        <source>Searches and calls from your apps, newest first.</source>
        <translation>アプリが検索し、呼び出したもの（新しい順）</translation>
    </message>
    <message>
        <source>App</source>
        <translation>アプリ</translation>
    </message>
    <message>
        <source>Server</source>
        <translation>サーバー</translation>
    </message>
    <message>
        <source>No matching entries.</source>
        <translation>該当するものはありません。</translation>
    </message>
    <message>
        <source>Filter by tool, text or ID</source>
        <translation>ツール名、文字列、ID で絞り込む</translation>
    </message>
    <message numerus="yes">
        <source>Exported %n entries to {name}.</source>
        <translation>
            <numerusform>%n 件を {name} に書き出しました。</numerusform>
        </translation>
    </message>
    <message>
        <source>All apps</source>
        <translation>すべてのアプリ</translation>
    </message>
    <message>
        <source>All servers</source>
        <translation>すべてのサーバー</translation>
    </message>
    <message>
        <source>Export activity</source>
        <translation>アクティビティを書き出す</translation>
    </message>
</context>
<context>
    <name>ActivitySettingsPage</name>
    <message>
        <source>Activity</source>
        <translation>アクティビティ</translation>
    </message>
    <message>
        <source>Days to keep</source>
        <translation>保存日数</translation>
    </message>
    <message>
        <source>Maximum size, in MB</source>
        <translation>保存する容量（MB）</translation>
    </message>
    <message>
        <source>Log arguments and search queries</source>
        <translation>引数と検索した文字列を記録</translation>
    </message>
    <message>
        <source>history, retention, log, delete old, disk space, storage</source>
        <translation>履歴、保存期間、ログ、削除、ディスク容量、ストレージ、history, retention, log, delete old, disk space, storage</translation>
    </message>
    <message>
        <source>privacy, logging, parameters, record</source>
        <translation>プライバシー、ログ、引数、パラメーター、記録、privacy, logging, parameters, record</translation>
    </message>
    <message>
        <source>The log stays on this computer. Known secrets are redacted. Without arguments, it records only who called what, when, and how many tokens it used.</source>
        <translation>ログはこのコンピューターにだけ保存されます。Toolbooth が知っているシークレットは取り除かれます。引数を記録しない場合、残るのは、いつ、誰が、何を呼び出し、何トークン使ったかだけです。</translation>
    </message>
</context>
<context>
    <name>AppList</name>
    <message>
        <source>Looking for your apps…</source>
        <translation>アプリを探しています…</translation>
    </message>
    <message>
        <source>Connect {name}</source>
        <translation>{name} を接続</translation>
    </message>
    <message>
        <source>Connect…</source>
        <translation>接続…</translation>
    </message>
</context>
<context>
    <name>Application</name>
    <message>
        <source>The router failed to start.</source>
        <translation>ルーターを起動できませんでした。</translation>
    </message>
    <message>
        <source>See the log for details.</source>
        <translation>詳しくはログをご覧ください。</translation>
    </message>
    <message>
        <source>Toolbooth is still running</source>
        <translation>Toolbooth は動作を続けています</translation>
    </message>
    <message>
        <source>Your apps stay connected. To stop Toolbooth, choose Quit from the icon’s menu.</source>
        <translation>アプリは接続されたままです。止めるにはアイコンのメニューから終了してください。</translation>
    </message>
    <message>
        <source>Tray icons are not available on this desktop</source>
        <translation>このデスクトップはトレイアイコンを表示しません</translation>
    </message>
    <message>
        <source>Closing the window minimizes it. To quit Toolbooth, use the menu at the top.</source>
        <translation>ウィンドウを閉じると最小化されます。終了は上部のメニューから行えます。</translation>
    </message>
    <message>
        <source>Quit Toolbooth?</source>
        <translation>Toolbooth を終了しますか？</translation>
    </message>
    <message numerus="yes">
        <source>This stops all servers (%n running). Apps lose access to their tools.</source>
        <translation>
            <numerusform>すべてのサーバー（%n 台が稼働中）が停止し、アプリはツールを使えなくなります。</numerusform>
        </translation>
    </message>
    <message>
        <source>Quit</source>
        <translation>終了</translation>
    </message>
</context>
<context>
    <name>AppsPage</name>
    <message>
        <source>Tokens…</source>
        <translation>トークン…</translation>
    </message>
    <message>
        <source>Open setup guide…</source>
        <translation>セットアップガイドを開く…</translation>
    </message>
    <message>
        <source>Connected apps</source>
        <translation>接続中のアプリ</translation>
    </message>
    <message>
        <source>Each app gets one entry in its configuration file and its own token.</source>
        <translation>アプリごとに、設定ファイルへ項目を 1 つ追加し、専用のトークンを発行します。</translation>
    </message>
</context>
<context>
    <name>AppsPanel</name>
    <message>
        <source>Connected {name}</source>
        <translation>{name} を接続しました</translation>
    </message>
    <message>
        <source>Disconnected {name}</source>
        <translation>{name} を切断しました</translation>
    </message>
</context>
<context>
    <name>AppsSettingsPage</name>
    <message>
        <source>Connected apps</source>
        <translation>接続中のアプリ</translation>
    </message>
    <message>
        <source>connect, disconnect, clients, mcp.json, config files, setup</source>
        <translation>接続、切断、クライアント、設定ファイル、セットアップ、connect, disconnect, clients, mcp.json, config files, setup</translation>
    </message>
    <message>
        <source>The router is not running.</source>
        <translation>ルーターは動いていません。</translation>
    </message>
    <message>
        <source>Copy MCP URL</source>
        <translation>MCP の URL をコピー</translation>
    </message>
    <message>
        <source>address, endpoint, localhost, server URL</source>
        <translation>アドレス、エンドポイント、サーバーの URL、address, endpoint, localhost, server URL</translation>
    </message>
    <message>
        <source>MCP URL</source>
        <translation>MCP の URL</translation>
    </message>
    <message>
        <source>Header</source>
        <translation>ヘッダー</translation>
    </message>
    <message>
        <source>Each app sends its own token: Authorization: Bearer &lt;token&gt;</source>
        <translation>アプリごとに自分のトークンを送ります: Authorization: Bearer &lt;トークン&gt;</translation>
    </message>
    <message>
        <source>New token</source>
        <translation>新しいトークン</translation>
    </message>
    <message>
        <source>tokens, API key, secret, revoke, expiry, snippet, access</source>
        <translation>トークン、API キー、シークレット、失効、無効化、有効期限、スニペット、アクセス、tokens, API key, secret, revoke, expiry, snippet, access</translation>
    </message>
    <message>
        <source>Tokens</source>
        <translation>トークン</translation>
    </message>
    <message>
        <source>No tokens yet</source>
        <translation>トークンを持つアプリはまだありません</translation>
    </message>
    <message>
        <source>Create one for each app, so that you can track and revoke them individually.</source>
        <translation>アプリごとに作成すると、ひとつずつ確認して止められます。</translation>
    </message>
    <message>
        <source>Revoke…</source>
        <translation>取り消す…</translation>
    </message>
    <message>
        <source>Revoke the token of {name}</source>
        <translation>{name} のトークンを取り消す</translation>
    </message>
    <message>
        <source>expired</source>
        <translation>期限切れ</translation>
    </message>
    <message>
        <source>until {day}</source>
        <translation>{day} まで</translation>
    </message>
    <message>
        <source>The active workspace</source>
        <translation>アクティブなワークスペース</translation>
    </message>
    <message>
        <source>Only {name}</source>
        <translation>{name} のみ</translation>
    </message>
    <message>
        <source>never used</source>
        <translation>未使用</translation>
    </message>
    <message>
        <source>last used {ago}</source>
        <translation>{ago}に使用</translation>
    </message>
    <message>
        <source>Revoke the token of {name}?</source>
        <translation>{name} のトークンを取り消しますか？</translation>
    </message>
    <message>
        <source>The app is disconnected immediately. This can’t be undone.</source>
        <translation>アプリの接続はすぐに切れます。この操作は元に戻せません。</translation>
    </message>
    <message>
        <source>Revoke</source>
        <translation>取り消す</translation>
    </message>
</context>
<context>
    <name>ArgumentsForm</name>
    <message>
        <source>This tool takes no arguments.</source>
        <translation>このツールに引数はありません。</translation>
    </message>
</context>
<context>
    <name>AttentionPage</name>
    <message>
        <source>Needs attention</source>
        <translation>要対応</translation>
    </message>
    <message>
        <source>Apps can’t use these until you approve them.</source>
        <translation>承認するまで、アプリはこれらを使えません。</translation>
    </message>
    <message>
        <source>You’re all caught up</source>
        <translation>対応が必要なものはありません</translation>
    </message>
    <message>
        <source>Approve</source>
        <translation>承認</translation>
    </message>
    <message>
        <source>Sign in…</source>
        <translation>サインイン…</translation>
    </message>
    <message numerus="yes">
        <source>%n items need approval</source>
        <translation>
            <numerusform>%n 件に承認が必要です</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Approve all %n</source>
        <translation>
            <numerusform>%n 件すべてを承認</numerusform>
        </translation>
    </message>
    <message>
        <source>Block</source>
        <translation>拒否</translation>
    </message>
    <message>
        <source>Block {tool}</source>
        <translation>{tool} を拒否</translation>
    </message>
    <message numerus="yes">
        <source>Approve %n without findings</source>
        <translation>
            <numerusform>問題のない %n 件を承認</numerusform>
        </translation>
    </message>
    <message>
        <source>Approve {tool}</source>
        <translation>{tool} を承認</translation>
    </message>
</context>
<context>
    <name>Banner</name>
    <message>
        <source>Close</source>
        <translation>閉じる</translation>
    </message>
</context>
<context>
    <name>ChangesFooter</name>
    <message>
        <source>Undo</source>
        <translation>元に戻す</translation>
    </message>
    <message>
        <source>Done</source>
        <translation>完了</translation>
    </message>
    <message>
        <source>Saved. Connected apps pick this up on their next request.</source>
        <translation>保存しました。アプリには次のリクエストから反映されます。</translation>
    </message>
    <message>
        <source>Undone.</source>
        <translation>元に戻しました。</translation>
    </message>
</context>
<context>
    <name>CheckStep</name>
    <message>
        <source>Waiting for the first call…</source>
        <translation>最初の呼び出しを待っています…</translation>
    </message>
    <message>
        <source>, </source>
        <translation>、</translation>
    </message>
    <message>
        <source>No app is connected yet. Go back to connect one.</source>
        <translation>接続されたアプリがまだありません。戻って接続してください。</translation>
    </message>
    <message>
        <source>Restart {apps}, then ask it to list your tools.</source>
        <translation>{apps} を再起動し、ツールの一覧を尋ねてみてください。</translation>
    </message>
    <message>
        <source>{some} or {last}</source>
        <translation>{some}、{last} のいずれか</translation>
    </message>
    <message>
        <source>It works: {app} is connected</source>
        <translation>成功です。{app} が接続されました</translation>
    </message>
</context>
<context>
    <name>ChoiceField</name>
    <message>
        <source>Default ({value})</source>
        <translation>既定（{value}）</translation>
    </message>
</context>
<context>
    <name>CloudCard</name>
    <message>
        <source>API key, endpoint, provider, privacy, secret</source>
        <translation>API キー、エンドポイント、プロバイダー、プライバシー、シークレット、クラウド、API key, endpoint, provider, privacy, secret</translation>
    </message>
    <message>
        <source>URL of the cloud service</source>
        <translation>クラウドサービスの URL</translation>
    </message>
    <message>
        <source>API key of the cloud service</source>
        <translation>クラウドサービスの API キー</translation>
    </message>
    <message>
        <source>API key (optional)</source>
        <translation>API キー（任意）</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>保存</translation>
    </message>
    <message>
        <source>Test</source>
        <translation>テスト</translation>
    </message>
    <message>
        <source>The key is stored in the keyring. Without one, it is only kept until Toolbooth stops.</source>
        <translation>キーはキーリングに保存されます。キーリングがない場合は、Toolbooth が終了するまでだけ保持されます。</translation>
    </message>
    <message>
        <source>No keyring available: the key is only kept until Toolbooth stops.</source>
        <translation>キーリングがないため、キーは Toolbooth が終了するまでだけ保持されます。</translation>
    </message>
    <message>
        <source>Cloud service</source>
        <translation>クラウドサービス</translation>
    </message>
    <message>
        <source>It receives each search query and the names and descriptions of the searched tools, but no arguments or results.</source>
        <translation>送信されるのは、検索語と、検索対象のツールの名前と説明だけです。引数や結果は送信されません。</translation>
    </message>
    <message>
        <source>Testing…</source>
        <translation>テストしています…</translation>
    </message>
    <message numerus="yes">
        <source>Connected: %n tools in {time}.</source>
        <translation>
            <numerusform>接続できました: %n 個のツール（{time}）。</numerusform>
        </translation>
    </message>
    <message>
        <source>Test failed: {reason}.</source>
        <translation>テストに失敗しました: {reason}。</translation>
    </message>
</context>
<context>
    <name>ConfirmationPresenter</name>
    <message>
        <source>Did you enter this command in a terminal?</source>
        <translation>このコマンドをターミナルで入力しましたか？</translation>
    </message>
    <message>
        <source>Run it</source>
        <translation>実行</translation>
    </message>
</context>
<context>
    <name>ConsentCard</name>
    <message>
        <source>This will run on your computer with your permissions</source>
        <translation>次の内容が、あなたの権限でこのコンピューター上で実行されます</translation>
    </message>
    <message>
        <source>It receives the data apps send to its tools. Nothing runs on this computer.</source>
        <translation>アプリがツールに送る内容を受け取ります。このコンピューターでは何も実行されません。</translation>
    </message>
    <message>
        <source>When called, it runs with your permissions: files, network, programs.</source>
        <translation>呼び出されると、あなたの権限で動作します（ファイル、ネットワーク、プログラム）。</translation>
    </message>
    <message>
        <source>{names}: controls which programs are loaded. Make sure you want this.</source>
        <translation>{names}: 読み込まれるプログラムを左右します。意図したものか確かめてください。</translation>
    </message>
    <message>
        <source>Toolbooth will connect to this URL</source>
        <translation>Toolbooth は次の URL に接続します</translation>
    </message>
    <message>
        <source>Its tools are first discovered in isolation. {words}</source>
        <translation>まず、隔離した環境でツールを検出します。{words}</translation>
    </message>
    <message>
        <source>URL</source>
        <translation>URL</translation>
    </message>
    <message>
        <source>Headers</source>
        <translation>ヘッダー</translation>
    </message>
    <message>
        <source>Command</source>
        <translation>コマンド</translation>
    </message>
    <message>
        <source>Arguments</source>
        <translation>引数</translation>
    </message>
    <message>
        <source>Variables</source>
        <translation>変数</translation>
    </message>
    <message>
        <source>Folder</source>
        <translation>フォルダー</translation>
    </message>
</context>
<context>
    <name>EmptyState</name>
    <message>
        <source>Add server</source>
        <translation>サーバーを追加</translation>
    </message>
    <message>
        <source>Add manually</source>
        <translation>手動で追加</translation>
    </message>
    <message>
        <source>Import from file…</source>
        <translation>ファイルから読み込む…</translation>
    </message>
    <message>
        <source>No servers in this workspace yet</source>
        <translation>このワークスペースにはまだサーバーがありません</translation>
    </message>
    <message>
        <source>You can also drop an mcp.json file here, or paste a snippet.</source>
        <translation>mcp.json ファイルをここにドロップするか、設定の断片を貼り付けることもできます。</translation>
    </message>
    <message>
        <source>Add one with its command or URL.</source>
        <translation>コマンドか URL で追加できます。</translation>
    </message>
    <message numerus="yes">
        <source>Import %n servers…</source>
        <translation>
            <numerusform>%n 台のサーバーを取り込む…</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>EntryDetail</name>
    <message>
        <source>Details of the selected entry</source>
        <translation>選択した記録の詳細</translation>
    </message>
    <message>
        <source>Select an entry to see its details.</source>
        <translation>行を選ぶと、その記録の詳細が表示されます。</translation>
    </message>
    <message>
        <source>Copy as JSON</source>
        <translation>JSON でコピー</translation>
    </message>
    <message>
        <source>Request ID</source>
        <translation>リクエスト ID</translation>
    </message>
    <message>
        <source>Copy request ID</source>
        <translation>リクエスト ID をコピー</translation>
    </message>
    <message>
        <source>Trace ID</source>
        <translation>トレース ID</translation>
    </message>
    <message>
        <source>Copy trace ID</source>
        <translation>トレース ID をコピー</translation>
    </message>
    <message>
        <source>Not logged. To log arguments, go to Settings &gt; Activity.</source>
        <translation>記録されていません。引数を記録するには、「設定」の「アクティビティ」でオンにします。</translation>
    </message>
    <message>
        <source>Arguments</source>
        <translation>引数</translation>
    </message>
</context>
<context>
    <name>FoundList</name>
    <message>
        <source>Stored in the keyring</source>
        <translation>キーリングに保管されます</translation>
    </message>
    <message>
        <source>Value</source>
        <translation>値</translation>
    </message>
</context>
<context>
    <name>GeneralPage</name>
    <message>
        <source>General</source>
        <translation>一般</translation>
    </message>
    <message>
        <source>Theme</source>
        <translation>テーマ</translation>
    </message>
    <message>
        <source>System</source>
        <translation>システム</translation>
    </message>
    <message>
        <source>Light</source>
        <translation>ライト</translation>
    </message>
    <message>
        <source>Dark</source>
        <translation>ダーク</translation>
    </message>
    <message>
        <source>Language</source>
        <translation>言語</translation>
    </message>
    <message>
        <source>appearance, look, colours, colors, dark mode, night mode, bright</source>
        <translation>外観、見た目、配色、色、ダークモード、夜間モード、明るい、theme、appearance, look, colours, colors, dark mode, night mode, bright</translation>
    </message>
    <message>
        <source>locale, translation, Japanese, English</source>
        <translation>言語、ロケール、翻訳、日本語、英語、language、locale, translation, Japanese, English</translation>
    </message>
    <message>
        <source>Start at login</source>
        <translation>ログイン時に起動</translation>
    </message>
    <message>
        <source>Start hidden</source>
        <translation>ウィンドウを開かずに起動</translation>
    </message>
    <message>
        <source>Starts with only the tray icon, so that your apps can use their tools right away.</source>
        <translation>トレイアイコンだけで起動し、アプリがすぐにツールを使えるようにします。</translation>
    </message>
    <message>
        <source>Open toolbooth:// links</source>
        <translation>toolbooth:// リンクを開く</translation>
    </message>
    <message>
        <source>autostart, startup, boot, launch, log in, sign in to the computer</source>
        <translation>自動起動、スタートアップ、起動時、ログイン、サインイン、autostart, startup, boot, launch, log in, sign in to the computer</translation>
    </message>
    <message>
        <source>minimised, minimized, background, tray, launch</source>
        <translation>最小化、バックグラウンド、トレイ、起動、非表示、minimised, minimized, background, tray, launch</translation>
    </message>
    <message>
        <source>Also adds Toolbooth to the application menu.</source>
        <translation>Toolbooth をアプリケーションメニューにも登録します。</translation>
    </message>
    <message>
        <source>URL scheme, deep link, browser, install link, desktop entry</source>
        <translation>URL スキーム、ディープリンク、ブラウザー、インストールリンク、URL scheme, deep link, browser, install link, desktop entry</translation>
    </message>
    <message>
        <source>Couldn’t change how links are opened.</source>
        <translation>リンクを開く設定を変更できませんでした。</translation>
    </message>
    <message>
        <source>Start</source>
        <translation>起動</translation>
    </message>
    <message>
        <source>Couldn’t change start at login.</source>
        <translation>ログイン時の起動を変更できませんでした。</translation>
    </message>
</context>
<context>
    <name>GuideDialog</name>
    <message>
        <source>Set up Toolbooth</source>
        <translation>Toolbooth の設定</translation>
    </message>
    <message>
        <source>Back</source>
        <translation>戻る</translation>
    </message>
    <message>
        <source>Skip for now</source>
        <translation>あとで</translation>
    </message>
    <message>
        <source>Skip this step</source>
        <translation>この手順をスキップ</translation>
    </message>
    <message>
        <source>Skipped:</source>
        <translation>取り込めないもの:</translation>
    </message>
    <message>
        <source>Import servers</source>
        <translation>サーバーの取り込み</translation>
    </message>
    <message>
        <source>Connect apps</source>
        <translation>アプリの接続</translation>
    </message>
    <message>
        <source>Check</source>
        <translation>確認</translation>
    </message>
    <message>
        <source>Import your servers</source>
        <translation>サーバーを取り込む</translation>
    </message>
    <message>
        <source>These are set up in other apps on this computer. Their files are not changed, and commands only run after you approve them.</source>
        <translation>ほかのアプリで設定済みのサーバーです。それらのファイルは変更されません。コマンドは承認後にだけ実行されます。</translation>
    </message>
    <message>
        <source>Connect your AI apps</source>
        <translation>AI アプリを接続</translation>
    </message>
    <message>
        <source>Toolbooth adds one entry to each app you choose. Every file is backed up, and you can undo this at any time.</source>
        <translation>選んだアプリに項目を 1 つ追加します。ファイルはすべてバックアップされ、いつでも元に戻せます。</translation>
    </message>
    <message>
        <source>Try it out</source>
        <translation>試してみる</translation>
    </message>
    <message>
        <source>Ask one of your apps something that needs a tool.</source>
        <translation>ツールが必要なことをアプリに頼んでみてください。</translation>
    </message>
    <message numerus="yes">
        <source>Import %n servers</source>
        <translation>
            <numerusform>%n 台を取り込む</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Connect %n apps</source>
        <translation>
            <numerusform>%n 個のアプリを接続</numerusform>
        </translation>
    </message>
    <message>
        <source>Continue</source>
        <translation>続ける</translation>
    </message>
    <message>
        <source>Done</source>
        <translation>完了</translation>
    </message>
</context>
<context>
    <name>Header</name>
    <message>
        <source>Context Optimization</source>
        <translation>コンテキスト最適化</translation>
    </message>
    <message>
        <source>Apps get a search tool instead of every tool definition</source>
        <translation>アプリには、すべての定義の代わりに検索ツールを渡します</translation>
    </message>
    <message>
        <source>Search strategy</source>
        <translation>検索方式</translation>
    </message>
    <message>
        <source>Hybrid</source>
        <translation>ハイブリッド</translation>
    </message>
    <message>
        <source>Cloud</source>
        <translation>クラウド</translation>
    </message>
    <message>
        <source>Refresh tools (Ctrl+R)</source>
        <translation>ツールを更新 (Ctrl+R)</translation>
    </message>
    <message>
        <source>Add server</source>
        <translation>サーバーを追加</translation>
    </message>
</context>
<context>
    <name>ListField</name>
    <message>
        <source>Add value</source>
        <translation>値を追加</translation>
    </message>
    <message>
        <source>Add value to {name}</source>
        <translation>{name} に値を追加</translation>
    </message>
    <message>
        <source>Remove {name}</source>
        <translation>{name} を削除</translation>
    </message>
</context>
<context>
    <name>LogView</name>
    <message>
        <source>Server log</source>
        <translation>サーバーのログ</translation>
    </message>
    <message>
        <source>No output yet.</source>
        <translation>まだ何も出力していません。</translation>
    </message>
    <message>
        <source>Copy the selection or the whole log</source>
        <translation>選択範囲またはログ全体をコピー</translation>
    </message>
    <message>
        <source>Latest stderr output, with secrets redacted</source>
        <translation>stderr の直近の出力（秘密の値は除去済み）</translation>
    </message>
</context>
<context>
    <name>MainWindow</name>
    <message>
        <source>Import servers</source>
        <translation>サーバーを読み込む</translation>
    </message>
</context>
<context>
    <name>ManualSetupDialog</name>
    <message>
        <source>Set up {name} manually</source>
        <translation>{name} を手動で設定</translation>
    </message>
    <message>
        <source>Entry to paste</source>
        <translation>貼り付ける項目</translation>
    </message>
    <message>
        <source>The entry will appear here, with a new token.</source>
        <translation>新しいトークンを含む項目がここに表示されます。</translation>
    </message>
    <message>
        <source>Create entry</source>
        <translation>項目を作成</translation>
    </message>
    <message>
        <source>Copy entry</source>
        <translation>項目をコピー</translation>
    </message>
    <message>
        <source>Add this entry to the file, next to the existing ones.</source>
        <translation>この項目を、ファイルの既存の項目に並べて追加してください。</translation>
    </message>
</context>
<context>
    <name>NetworkPage</name>
    <message>
        <source>Network</source>
        <translation>ネットワーク</translation>
    </message>
    <message>
        <source>Call timeout, in seconds</source>
        <translation>呼び出しの上限（秒）</translation>
    </message>
    <message>
        <source>Port</source>
        <translation>ポート</translation>
    </message>
    <message>
        <source>Takes effect immediately. Apps need the new URL.</source>
        <translation>すぐに有効になります。アプリには新しい URL が必要です。</translation>
    </message>
    <message>
        <source>address, URL, localhost, listen, taken</source>
        <translation>ポート、アドレス、待ち受け、使用中、port、address, URL, localhost, listen, taken</translation>
    </message>
    <message>
        <source>timeout, time limit, slow, hang</source>
        <translation>タイムアウト、時間制限、遅い、止まる、timeout, time limit, slow, hang</translation>
    </message>
    <message>
        <source>Message limit, in MB</source>
        <translation>メッセージの上限（MB）</translation>
    </message>
    <message>
        <source>large result, too large, size, memory</source>
        <translation>大きな結果, 大きすぎる, サイズ, メモリ</translation>
    </message>
    <message>
        <source>Session limit</source>
        <translation>セッション数の上限</translation>
    </message>
    <message>
        <source>too many sessions, connections, clients, 503</source>
        <translation>セッション数, 接続数, クライアント, 多すぎる, 503</translation>
    </message>
    <message>
        <source>status, running, address, URL, endpoint</source>
        <translation>状態、ステータス、稼働中、アドレス、エンドポイント、status, running, address, URL, endpoint</translation>
    </message>
    <message>
        <source>Copy MCP URL</source>
        <translation>MCP の URL をコピー</translation>
    </message>
    <message>
        <source>Automatic</source>
        <translation>自動</translation>
    </message>
</context>
<context>
    <name>Notifications</name>
    <message>
        <source>Show</source>
        <translation>表示</translation>
    </message>
</context>
<context>
    <name>OptimizationPage</name>
    <message>
        <source>Context Optimization</source>
        <translation>コンテキスト最適化</translation>
    </message>
    <message>
        <source>Tools per search</source>
        <translation>検索ごとのツール数</translation>
    </message>
    <message>
        <source>results, top k, number of hits, limit</source>
        <translation>結果、件数、ヒット数、上限、results, top k, number of hits, limit</translation>
    </message>
    <message>
        <source>Learn from use</source>
        <translation>使い方から学習する</translation>
    </message>
    <message>
        <source>experience, feedback, remember, forget, privacy</source>
        <translation>学習、経験、フィードバック、記憶、忘れる、プライバシー、experience, feedback, remember, forget, privacy</translation>
    </message>
    <message numerus="yes">
        <source>Apps get a few tools instead of %n tool definitions.</source>
        <translation>
            <numerusform>アプリには、%n 個のツール定義の代わりに数個のツールだけを渡します。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Apps get all %n tool definitions with every request.</source>
        <translation>
            <numerusform>アプリには、リクエストのたびに %n 個のツール定義をすべて渡します。</numerusform>
        </translation>
    </message>
    <message>
        <source>{count} tokens</source>
        <translation>{count} トークン</translation>
    </message>
    <message>
        <source>Send only the tools an app needs</source>
        <translation>アプリに必要なツールだけを送る</translation>
    </message>
    <message>
        <source>tokens, savings, save, context window, meta-tools, tool_discovery</source>
        <translation>トークン、節約、削減、コンテキスト、メタツール、tokens, savings, save, context window, meta-tools, tool_discovery</translation>
    </message>
    <message>
        <source>Tokens per request, compared with all definitions</source>
        <translation>リクエストあたりのトークン（全定義との比較）</translation>
    </message>
    <message>
        <source>Keyword (BM25)</source>
        <translation>キーワード (BM25)</translation>
    </message>
    <message>
        <source>Matches the words in tool names and descriptions.</source>
        <translation>ツールの名前と説明に含まれる語で探します。</translation>
    </message>
    <message>
        <source>strategy, search engine, lexical, full text</source>
        <translation>検索方式、検索エンジン、キーワード、全文検索、strategy, search engine, lexical, full text</translation>
    </message>
    <message>
        <source>Hybrid</source>
        <translation>ハイブリッド</translation>
    </message>
    <message>
        <source>Adds a small local model, so “open a ticket” also finds create_issue.</source>
        <translation>小さなローカルモデルを加え、「チケットを起票」でも create_issue が見つかります。</translation>
    </message>
    <message>
        <source>strategy, search engine, semantic, meaning, embeddings, vectors, AI</source>
        <translation>検索方式、検索エンジン、意味検索、セマンティック、埋め込み、ベクトル、ハイブリッド、strategy, search engine, semantic, meaning, embeddings, vectors, AI</translation>
    </message>
    <message>
        <source>Cloud</source>
        <translation>クラウド</translation>
    </message>
    <message>
        <source>A hosted model ranks the tools. Best for several hundred similar tools.</source>
        <translation>ホストされたモデルがツールを順位付けします。似たツールが数百あるときに最適です。</translation>
    </message>
    <message>
        <source>How long recent searches took on this computer</source>
        <translation>このコンピューターでの最近の検索にかかった時間</translation>
    </message>
    <message>
        <source>The size of the local model</source>
        <translation>ローカルモデルのサイズ</translation>
    </message>
    <message>
        <source>strategy, search engine, hosted, online, AI</source>
        <translation>検索方式、検索エンジン、ホスト、オンライン、クラウド、strategy, search engine, hosted, online, AI</translation>
    </message>
    <message>
        <source>Search strategy</source>
        <translation>検索方式</translation>
    </message>
    <message>
        <source>How apps reach tools</source>
        <translation>アプリがツールを使う方法</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>検索</translation>
    </message>
    <message>
        <source>Progressive</source>
        <translation>段階的</translation>
    </message>
    <message>
        <source>Scripts with search</source>
        <translation>検索にスクリプトを加える</translation>
    </message>
    <message>
        <source>exposure, progressive disclosure, mode</source>
        <translation>公開方法、段階的、モード、exposure, progressive disclosure, mode</translation>
    </message>
    <message>
        <source>Lua, code mode, execute, programs</source>
        <translation>スクリプト、コード、実行、プログラム、Lua, code mode, execute, programs</translation>
    </message>
    <message>
        <source>Recommended</source>
        <translation>推奨</translation>
    </message>
    <message>
        <source>Offline</source>
        <translation>オフライン</translation>
    </message>
</context>
<context>
    <name>OptionsTab</name>
    <message>
        <source>How apps reach tools</source>
        <translation>アプリがツールを使う方法</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>検索</translation>
    </message>
    <message>
        <source>Progressive</source>
        <translation>段階的</translation>
    </message>
    <message>
        <source>Direct</source>
        <translation>直接</translation>
    </message>
    <message>
        <source>Search strategy</source>
        <translation>検索方式</translation>
    </message>
    <message>
        <source>Hybrid</source>
        <translation>ハイブリッド</translation>
    </message>
    <message>
        <source>Cloud</source>
        <translation>クラウド</translation>
    </message>
    <message>
        <source>By keyword, by keyword and meaning, or with a cloud service.</source>
        <translation>キーワード、キーワードと意味、またはクラウドサービスで探します。</translation>
    </message>
    <message>
        <source>Search tool with Progressive</source>
        <translation>段階的に検索を加える</translation>
    </message>
    <message>
        <source>Apps that browse servers can also search all tools at once.</source>
        <translation>サーバーを段階的に調べるアプリが、すべてのツールを一度に検索することもできます。</translation>
    </message>
    <message>
        <source>Apps get every tool definition with every request.</source>
        <translation>リクエストのたびに、すべてのツールの定義をアプリに渡します。</translation>
    </message>
</context>
<context>
    <name>PairsEditor</name>
    <message>
        <source>Values that look like secrets are stored in the keyring when you save.</source>
        <translation>シークレットと思われる値は、保存時にキーリングへ移されます。</translation>
    </message>
</context>
<context>
    <name>PasteBox</name>
    <message>
        <source>Paste a command line, a URL, an mcp.json snippet or an install link</source>
        <translation>コマンドライン、URL、mcp.json の断片、インストール用リンクを貼り付け</translation>
    </message>
    <message>
        <source>Filled in below.</source>
        <translation>下のフォームに入力しました。</translation>
    </message>
    <message>
        <source>Filled in below. Still missing: {names}.</source>
        <translation>下に入力しました。未入力: {names}</translation>
    </message>
    <message numerus="yes">
        <source>%n servers: {names}</source>
        <translation>
            <numerusform>サーバー %n 台: {names}</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Import all %n</source>
        <translation>
            <numerusform>%n 台すべてを読み込む</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>PauseControl</name>
    <message>
        <source>Live</source>
        <translation>ライブ</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>一時停止</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>再開</translation>
    </message>
    <message numerus="yes">
        <source>Paused, %n new</source>
        <translation>
            <numerusform>一時停止中、新着 %n 件</numerusform>
        </translation>
    </message>
    <message>
        <source>Paused</source>
        <translation>一時停止中</translation>
    </message>
</context>
<context>
    <name>PendingCommands</name>
    <message>
        <source>Waiting for your approval</source>
        <translation>承認待ちのコマンド</translation>
    </message>
    <message>
        <source>Approve</source>
        <translation>承認</translation>
    </message>
    <message>
        <source>Approve {name}</source>
        <translation>{name} を承認</translation>
    </message>
</context>
<context>
    <name>PermissionPrompt</name>
    <message>
        <source>Permission request</source>
        <translation>権限のリクエスト</translation>
    </message>
    <message>
        <source>Arguments</source>
        <translation>引数</translation>
    </message>
    <message>
        <source>Server: {server}</source>
        <translation>サーバー: {server}</translation>
    </message>
    <message>
        <source>{client} wants to run {name}</source>
        <translation>{client} が {name} を実行しようとしています</translation>
    </message>
    <message>
        <source>{client} wants to use the prompt {name}</source>
        <translation>{client} がプロンプト {name} を使おうとしています</translation>
    </message>
    <message>
        <source>{client} wants to read {name}</source>
        <translation>{client} が {name} を読み取ろうとしています</translation>
    </message>
    <message>
        <source>{client} wants to use this server in {folder}</source>
        <translation>{client} が {folder} でこのサーバーを使おうとしています</translation>
    </message>
    <message numerus="yes">
        <source>Denied automatically in %n s</source>
        <translation>
            <numerusform>あと %n 秒で自動的に拒否されます</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n more waiting</source>
        <translation>
            <numerusform>ほかに %n 件が待っています</numerusform>
        </translation>
    </message>
    <message>
        <source>Deny</source>
        <translation>拒否</translation>
    </message>
    <message>
        <source>Always allow</source>
        <translation>常に許可</translation>
    </message>
    <message>
        <source>For an hour</source>
        <translation>1 時間許可</translation>
    </message>
    <message>
        <source>This session</source>
        <translation>このセッション中は許可</translation>
    </message>
    <message>
        <source>Allow once</source>
        <translation>今回だけ許可</translation>
    </message>
</context>
<context>
    <name>PermissionsTab</name>
    <message>
        <source>Access</source>
        <translation>アクセス</translation>
    </message>
    <message>
        <source>Use rules</source>
        <translation>ルールに従う</translation>
    </message>
    <message>
        <source>Set for this tool only.</source>
        <translation>このツールだけの設定です。</translation>
    </message>
    <message>
        <source>Uses the project’s rules, then the workspace’s.</source>
        <translation>プロジェクトのルール、次にワークスペースのルールに従います。</translation>
    </message>
</context>
<context>
    <name>PinPicker</name>
    <message>
        <source>Always include</source>
        <translation>常に含めるツール</translation>
    </message>
    <message numerus="yes">
        <source>%n pinned tools, {tokens} tokens in every conversation.</source>
        <translation>
            <numerusform>固定したツール %n 個、会話ごとに {tokens} トークン。</numerusform>
        </translation>
    </message>
    <message>
        <source>Done</source>
        <translation>完了</translation>
    </message>
    <message>
        <source>Apps get the selected tools without searching. Each adds its definition to the context.</source>
        <translation>選択したツールは、検索なしでアプリに渡されます。その分、定義のトークンが増えます。</translation>
    </message>
</context>
<context>
    <name>PinsRow</name>
    <message>
        <source>Choose…</source>
        <translation>選択…</translation>
    </message>
    <message>
        <source>pin, pinned tools, favourites, favorites</source>
        <translation>ピン留め、固定、お気に入り、pin, pinned tools, favourites, favorites</translation>
    </message>
    <message>
        <source>Always include</source>
        <translation>常に含めるツール</translation>
    </message>
    <message numerus="yes">
        <source>%n pinned tools: {names}</source>
        <translation>
            <numerusform>固定したツール %n 個: {names}</numerusform>
        </translation>
    </message>
    <message>
        <source>Apps only get the search tools.</source>
        <translation>アプリには検索用のツールだけを渡します。</translation>
    </message>
</context>
<context>
    <name>PlanDialog</name>
    <message>
        <source>Connect {name}</source>
        <translation>{name} を接続</translation>
    </message>
    <message>
        <source>A new file with this entry will be created.</source>
        <translation>この項目を含む新しいファイルが作られます。</translation>
    </message>
    <message>
        <source>One entry will be added. A backup is saved next to the file.</source>
        <translation>項目が 1 つ追加されます。元のファイルは隣にバックアップされます。</translation>
    </message>
    <message>
        <source>Connect</source>
        <translation>接続</translation>
    </message>
    <message>
        <source>Changes</source>
        <translation>変更内容</translation>
    </message>
    <message>
        <source>The token is created when you connect. Only this app uses it.</source>
        <translation>トークンは接続時に発行され、このアプリ専用です。</translation>
    </message>
    <message>
        <source>Other users of this computer can read this file and the token in it. Its permissions are not changed.</source>
        <translation>このコンピューターの他のユーザーも、このファイルとその中のトークンを読めます。アクセス権は変更されません。</translation>
    </message>
    <message>
        <source>Set up manually</source>
        <translation>手動で設定</translation>
    </message>
</context>
<context>
    <name>PlaygroundPage</name>
    <message>
        <source>Search playground</source>
        <translation>検索を試す</translation>
    </message>
    <message>
        <source>See which tools an app would get for a request, and why.</source>
        <translation>依頼に対してアプリに渡るツールと、その理由を確かめます。</translation>
    </message>
    <message>
        <source>Search as an app would, for example: open a ticket</source>
        <translation>アプリのように尋ねる（例: チケットを作成）</translation>
    </message>
    <message>
        <source>Search strategy</source>
        <translation>検索方式</translation>
    </message>
    <message>
        <source>Hybrid</source>
        <translation>ハイブリッド</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>比較</translation>
    </message>
    <message>
        <source>Keyword (BM25)</source>
        <translation>キーワード (BM25)</translation>
    </message>
</context>
<context>
    <name>ProjectsDialog</name>
    <message>
        <source>New project name</source>
        <translation>新しいプロジェクトの名前</translation>
    </message>
    <message>
        <source>Project name</source>
        <translation>プロジェクトの名前</translation>
    </message>
    <message>
        <source>Remove project</source>
        <translation>プロジェクトを削除</translation>
    </message>
    <message>
        <source>Project sections</source>
        <translation>プロジェクトの項目</translation>
    </message>
    <message>
        <source>Context Optimization</source>
        <translation>コンテキスト最適化</translation>
    </message>
    <message>
        <source>Copy project URL</source>
        <translation>プロジェクトの URL をコピー</translation>
    </message>
    <message>
        <source>Servers</source>
        <translation>サーバー</translation>
    </message>
    <message>
        <source>Permissions</source>
        <translation>権限</translation>
    </message>
    <message>
        <source>Rules</source>
        <translation>ルール</translation>
    </message>
    <message>
        <source>Projects of {name}</source>
        <translation>{name} のプロジェクト</translation>
    </message>
    <message>
        <source>Projects</source>
        <translation>プロジェクト</translation>
    </message>
    <message>
        <source>Each project has its own URL, servers and permissions.</source>
        <translation>プロジェクトごとに、URL、サーバー、権限を持ちます。</translation>
    </message>
    <message>
        <source>New project…</source>
        <translation>新しいプロジェクト…</translation>
    </message>
    <message>
        <source>Workspace defaults</source>
        <translation>ワークスペースの既定</translation>
    </message>
</context>
<context>
    <name>ReceiptNote</name>
    <message>
        <source>Details</source>
        <translation>詳細</translation>
    </message>
    <message>
        <source>Hide details</source>
        <translation>詳細を隠す</translation>
    </message>
</context>
<context>
    <name>ResultColumn</name>
    <message numerus="yes">
        <source>%n tools</source>
        <translation>
            <numerusform>%n 個のツール</numerusform>
        </translation>
    </message>
    <message>
        <source>No matching tools.</source>
        <translation>一致するツールはありません。</translation>
    </message>
    <message>
        <source>{count} tokens</source>
        <translation>{count} トークン</translation>
    </message>
    <message>
        <source>Pin for all apps</source>
        <translation>すべてのアプリに固定する</translation>
    </message>
    <message>
        <source>Pinned for all apps. Click to unpin</source>
        <translation>すべてのアプリに固定中。クリックすると外します</translation>
    </message>
    <message>
        <source>Block for all apps</source>
        <translation>すべてのアプリで拒否する</translation>
    </message>
</context>
<context>
    <name>RouterCard</name>
    <message>
        <source>Copy router address</source>
        <translation>ルーターのアドレスをコピー</translation>
    </message>
</context>
<context>
    <name>RulesTab</name>
    <message>
        <source>No rules yet. Tools without a rule or setting are allowed.</source>
        <translation>ルールはまだありません。ルールも設定もないツールは許可されます。</translation>
    </message>
    <message>
        <source>Remove rule</source>
        <translation>このルールを削除</translation>
    </message>
    <message>
        <source>Move up</source>
        <translation>優先順位を上げる</translation>
    </message>
</context>
<context>
    <name>SavingsCard</name>
    <message numerus="yes">
        <source>%n percent of the full context</source>
        <translation>
            <numerusform>最適化前の %n パーセント</numerusform>
        </translation>
    </message>
    <message>
        <source>Estimated at about 4 characters per token.
The cost of search results is already deducted.</source>
        <translation>1 トークンを約 4 文字として計算しています。
検索の応答にかかる分は差し引き済みです。</translation>
    </message>
    <message>
        <source>Tool context per request</source>
        <translation>1 リクエストあたりのツール文脈</translation>
    </message>
    <message>
        <source>Saved today</source>
        <translation>今日の削減量</translation>
    </message>
    <message>
        <source>Saved per hour</source>
        <translation>1 時間ごとの削減量</translation>
    </message>
    <message>
        <source>Last 24 h</source>
        <translation>直近 24 時間</translation>
    </message>
    <message>
        <source>tokens</source>
        <translation>トークン</translation>
    </message>
    <message>
        <source>tokens instead of {count}</source>
        <translation>トークン（最適化前 {count}）</translation>
    </message>
    <message numerus="yes">
        <source>tokens · %n requests</source>
        <translation>
            <numerusform>トークン · %n リクエスト</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ScriptEditor</name>
    <message>
        <source>Name</source>
        <translation>名前</translation>
    </message>
    <message>
        <source>Lua</source>
        <translation>Lua</translation>
    </message>
    <message>
        <source>Dry run arguments, as JSON</source>
        <translation>試し実行の引数 (JSON)</translation>
    </message>
    <message>
        <source>Dry run result</source>
        <translation>試し実行の結果</translation>
    </message>
    <message>
        <source>The arguments are not valid JSON: {problem}</source>
        <translation>引数が JSON ではありません: {problem}</translation>
    </message>
    <message>
        <source>The arguments must be a JSON object, like {&quot;path&quot;: &quot;/tmp&quot;}.</source>
        <translation>引数は {&quot;path&quot;: &quot;/tmp&quot;} のような JSON オブジェクトで指定してください。</translation>
    </message>
    <message>
        <source>Lua: the first comment is the description</source>
        <translation>Lua: 先頭のコメントが説明になります</translation>
    </message>
</context>
<context>
    <name>ScriptsDialog</name>
    <message>
        <source>Scripts</source>
        <translation>スクリプト</translation>
    </message>
    <message>
        <source>New script</source>
        <translation>新しいスクリプト</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>削除</translation>
    </message>
    <message>
        <source>Dry run</source>
        <translation>試し実行</translation>
    </message>
    <message>
        <source>Only calls read-only tools</source>
        <translation>読み取るだけのツールだけを呼び出します</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>保存</translation>
    </message>
    <message>
        <source>Running…</source>
        <translation>実行中…</translation>
    </message>
    <message>
        <source>Close without saving?</source>
        <translation>保存せずに閉じますか?</translation>
    </message>
    <message numerus="yes">
        <source>%n scripts have unsaved changes.</source>
        <translation>
            <numerusform>保存していない変更のあるスクリプトが %n 件あります。</numerusform>
        </translation>
    </message>
    <message>
        <source>Close</source>
        <translation>閉じる</translation>
    </message>
    <message>
        <source>Saved. Apps can use it as scripts:{name}.</source>
        <translation>保存しました。アプリからは scripts:{name} として使えます。</translation>
    </message>
    <message>
        <source>Removed. Choose Save to restore it.</source>
        <translation>削除しました。「保存」でもう一度残せます。</translation>
    </message>
    <message>
        <source>Dry run complete. Only read-only tools were called.</source>
        <translation>試し実行が終わりました。呼び出したのは読み取るだけのツールだけです。</translation>
    </message>
    <message>
        <source>Dry run failed.</source>
        <translation>試し実行に失敗しました。</translation>
    </message>
</context>
<context>
    <name>SearchField</name>
    <message>
        <source>Clear</source>
        <translation>消去</translation>
    </message>
</context>
<context>
    <name>SecurityPage</name>
    <message>
        <source>Security</source>
        <translation>セキュリティ</translation>
    </message>
    <message>
        <source>Minimum isolation</source>
        <translation>必要な隔離レベル</translation>
    </message>
    <message>
        <source>Discovery doesn’t start servers with less isolation than this.</source>
        <translation>これを下回る隔離では、検出のためにサーバーを起動しません。</translation>
    </message>
    <message>
        <source>Strict resource limits</source>
        <translation>リソースの厳しい制限</translation>
    </message>
    <message>
        <source>Tool list limits</source>
        <translation>ツール一覧の制限</translation>
    </message>
    <message>
        <source>Normal</source>
        <translation>標準</translation>
    </message>
    <message>
        <source>Strict</source>
        <translation>厳しい</translation>
    </message>
    <message>
        <source>Connect without a token</source>
        <translation>トークンなしで接続</translation>
    </message>
    <message>
        <source>approval policy, approve, review, rug pull, pinning</source>
        <translation>承認ポリシー、承認、確認、レビュー、変更、固定、approval policy, approve, review, rug pull, pinning</translation>
    </message>
    <message>
        <source>Trust servers</source>
        <translation>サーバーを信頼する</translation>
    </message>
    <message>
        <source>New and changed tools are available immediately.</source>
        <translation>新規・変更されたツールもすぐに使えます。</translation>
    </message>
    <message>
        <source>Ask when something changes</source>
        <translation>変更があれば確認する</translation>
    </message>
    <message>
        <source>The first tool list is approved. Tools that are added or changed later need approval.</source>
        <translation>最初の一覧は承認済みとみなし、以降に追加・変更されたツールには承認が必要です。</translation>
    </message>
    <message>
        <source>Ask for every tool</source>
        <translation>すべてのツールを確認する</translation>
    </message>
    <message>
        <source>No tool is available until you approve it.</source>
        <translation>承認するまで、どのツールも使えません。</translation>
    </message>
    <message>
        <source>Tool approval in this workspace</source>
        <translation>このワークスペースのツールの承認</translation>
    </message>
    <message>
        <source>Any</source>
        <translation>任意</translation>
    </message>
    <message>
        <source>Limited</source>
        <translation>制限</translation>
    </message>
    <message>
        <source>Confined</source>
        <translation>封じ込め</translation>
    </message>
    <message>
        <source>Full</source>
        <translation>完全</translation>
    </message>
    <message>
        <source>sandbox, isolation level, bubblewrap, protection, confine</source>
        <translation>サンドボックス、隔離レベル、分離、保護、sandbox, isolation level, bubblewrap, protection, confine</translation>
    </message>
    <message>
        <source>Discovery is limited to 256 MB and a quarter of a CPU core.</source>
        <translation>検出時のメモリーは 256 MB、CPU は 1/4 コアまで。</translation>
    </message>
    <message>
        <source>memory, CPU, sandbox, resources</source>
        <translation>メモリ、サンドボックス、リソース、制限、memory, CPU, sandbox, resources</translation>
    </message>
    <message>
        <source>sandbox, isolation level, self-test, protection</source>
        <translation>サンドボックス、隔離レベル、自己診断、保護、sandbox, isolation level, self-test, protection</translation>
    </message>
    <message>
        <source>Current protection</source>
        <translation>現在の保護</translation>
    </message>
    <message>
        <source>limits, cut, truncate, too many tools</source>
        <translation>上限、制限、切り詰め、省略、ツールが多すぎる、limits, cut, truncate, too many tools</translation>
    </message>
    <message>
        <source>open endpoint, authentication, password, anonymous, access</source>
        <translation>公開エンドポイント、認証、パスワード、匿名、アクセス、open endpoint, authentication, password, anonymous, access</translation>
    </message>
    <message>
        <source>Confirm commands that approve</source>
        <translation>承認するコマンドを確認</translation>
    </message>
    <message>
        <source>A person confirms each terminal command that approves something or loosens a permission. Without this, any program that runs commands as you can do that.</source>
        <translation>何かを承認したり権限を緩めたりするターミナルのコマンドを、人が毎回確認します。オフにすると、あなたの権限でコマンドを実行できるプログラムなら何でも承認できます。</translation>
    </message>
    <message>
        <source>terminal, shell scripts, approve, permission, agents, confirmation</source>
        <translation>ターミナル, シェルスクリプト, 承認, 権限, エージェント, 確認</translation>
    </message>
    <message>
        <source>During discovery</source>
        <translation>検出中</translation>
    </message>
    <message>
        <source>Tool lists</source>
        <translation>ツール一覧</translation>
    </message>
    <message>
        <source>Apps</source>
        <translation>アプリ</translation>
    </message>
    <message>
        <source>Terminal</source>
        <translation>ターミナル</translation>
    </message>
    <message>
        <source>None</source>
        <translation>なし</translation>
    </message>
    <message>
        <source>At most {tools} tools per server, {characters} characters per description and {size} KB per schema. What was removed is shown below the list.</source>
        <translation>1 サーバーあたりツール {tools} 個、説明 {characters} 文字、スキーマ {size} KB まで。省いたものは一覧の下に示します。</translation>
    </message>
</context>
<context>
    <name>ServerConfigView</name>
    <message>
        <source>Configuration</source>
        <translation>構成</translation>
    </message>
    <message>
        <source>During the last discovery</source>
        <translation>前回の検出時</translation>
    </message>
    <message>
        <source>Edit…</source>
        <translation>編集…</translation>
    </message>
    <message>
        <source>Address</source>
        <translation>アドレス</translation>
    </message>
    <message>
        <source>Headers</source>
        <translation>ヘッダー</translation>
    </message>
    <message>
        <source>Command</source>
        <translation>コマンド</translation>
    </message>
    <message>
        <source>Arguments</source>
        <translation>引数</translation>
    </message>
    <message>
        <source>Environment</source>
        <translation>環境変数</translation>
    </message>
    <message>
        <source>Folder</source>
        <translation>フォルダー</translation>
    </message>
</context>
<context>
    <name>ServerDetail</name>
    <message>
        <source>Server sections</source>
        <translation>サーバーの項目</translation>
    </message>
    <message>
        <source>Tools</source>
        <translation>ツール</translation>
    </message>
    <message>
        <source>Prompts</source>
        <translation>プロンプト</translation>
    </message>
    <message>
        <source>Resources</source>
        <translation>リソース</translation>
    </message>
    <message>
        <source>Logs</source>
        <translation>ログ</translation>
    </message>
    <message>
        <source>Configuration</source>
        <translation>構成</translation>
    </message>
    <message>
        <source>This server offers no prompts.</source>
        <translation>このサーバーにプロンプトはありません。</translation>
    </message>
    <message>
        <source>This server offers no resources.</source>
        <translation>このサーバーにリソースはありません。</translation>
    </message>
    <message>
        <source>Refresh this server’s tools</source>
        <translation>このサーバーのツールを更新</translation>
    </message>
    <message>
        <source>More</source>
        <translation>その他</translation>
    </message>
    <message>
        <source>This server is turned off. Its tools are hidden from all apps.</source>
        <translation>このサーバーはオフです。ツールはどのアプリにも見えません。</translation>
    </message>
    <message>
        <source>This server offers no tools.</source>
        <translation>このサーバーにはツールがありません。</translation>
    </message>
    <message>
        <source>Approve</source>
        <translation>承認</translation>
    </message>
    <message>
        <source>Copy details</source>
        <translation>詳細をコピー</translation>
    </message>
    <message>
        <source>Copy install command</source>
        <translation>インストールコマンドをコピー</translation>
    </message>
    <message>
        <source>Increase timeout</source>
        <translation>制限時間を延ばす</translation>
    </message>
    <message>
        <source>Edit…</source>
        <translation>編集…</translation>
    </message>
    <message>
        <source>Tools appear here after discovery.</source>
        <translation>ツールは検出後、ここに表示されます。</translation>
    </message>
    <message>
        <source>This command needs your approval</source>
        <translation>このコマンドには承認が必要です</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>削除</translation>
    </message>
</context>
<context>
    <name>ServerDialog</name>
    <message>
        <source>A link wants to add this server. Continue only if you trust where it came from.</source>
        <translation>リンクがこのサーバーの追加を求めています。リンク元を信頼できる場合だけ続けてください。</translation>
    </message>
    <message>
        <source>Add server</source>
        <translation>サーバーを追加</translation>
    </message>
    <message>
        <source>Edit {name}</source>
        <translation>{name} を編集</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>キャンセル</translation>
    </message>
    <message>
        <source>Add and run</source>
        <translation>追加して実行</translation>
    </message>
    <message>
        <source>Add</source>
        <translation>追加</translation>
    </message>
    <message>
        <source>Save and run</source>
        <translation>保存して実行</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>保存</translation>
    </message>
    <message>
        <source>A server named {name} already exists.</source>
        <translation>{name} という名前のサーバーはすでにあります。</translation>
    </message>
</context>
<context>
    <name>ServerForm</name>
    <message>
        <source>Name</source>
        <translation>名前</translation>
    </message>
    <message>
        <source>Server type</source>
        <translation>サーバーの種類</translation>
    </message>
    <message>
        <source>Command</source>
        <translation>コマンド</translation>
    </message>
    <message>
        <source>URL</source>
        <translation>URL</translation>
    </message>
    <message>
        <source>Command line</source>
        <translation>コマンドライン</translation>
    </message>
    <message>
        <source>Add variable</source>
        <translation>変数を追加</translation>
    </message>
    <message>
        <source>Working folder</source>
        <translation>作業フォルダー</translation>
    </message>
    <message>
        <source>Add header</source>
        <translation>ヘッダーを追加</translation>
    </message>
    <message>
        <source>Choose folder</source>
        <translation>フォルダーを選択</translation>
    </message>
    <message>
        <source>Environment</source>
        <translation>環境変数</translation>
    </message>
    <message>
        <source>Working folder (optional)</source>
        <translation>作業フォルダー（任意）</translation>
    </message>
    <message>
        <source>Headers</source>
        <translation>ヘッダー</translation>
    </message>
</context>
<context>
    <name>ServerList</name>
    <message>
        <source>Filter servers</source>
        <translation>サーバーを絞り込む</translation>
    </message>
    <message>
        <source>Servers</source>
        <translation>サーバー</translation>
    </message>
    <message>
        <source>No matching servers.</source>
        <translation>一致するサーバーはありません。</translation>
    </message>
    <message>
        <source>Filter by status</source>
        <translation>状態で絞り込む</translation>
    </message>
    <message>
        <source>All servers</source>
        <translation>すべてのサーバー</translation>
    </message>
    <message>
        <source>Turned on</source>
        <translation>オン</translation>
    </message>
    <message>
        <source>Needs attention</source>
        <translation>要対応</translation>
    </message>
    <message>
        <source>Turned off</source>
        <translation>オフ</translation>
    </message>
</context>
<context>
    <name>ServersTab</name>
    <message>
        <source>All servers of the workspace</source>
        <translation>ワークスペースのすべてのサーバー</translation>
    </message>
    <message>
        <source>Including servers added later.</source>
        <translation>あとから追加したものも含みます。</translation>
    </message>
    <message>
        <source>Apps without a project can use all of them.</source>
        <translation>プロジェクトを指定しないアプリは、すべてを使えます。</translation>
    </message>
    <message numerus="yes">
        <source>%n tools</source>
        <translation>
            <numerusform>%n 個のツール</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>SettingsDialog</name>
    <message>
        <source>Settings</source>
        <translation>設定</translation>
    </message>
    <message>
        <source>Search settings</source>
        <translation>設定を検索</translation>
    </message>
    <message>
        <source>No matching settings.</source>
        <translation>一致する設定はありません。</translation>
    </message>
</context>
<context>
    <name>Sidebar</name>
    <message>
        <source>New workspace name</source>
        <translation>新しいワークスペースの名前</translation>
    </message>
    <message>
        <source>Needs attention</source>
        <translation>要対応</translation>
    </message>
    <message>
        <source>Search playground</source>
        <translation>検索を試す</translation>
    </message>
    <message>
        <source>Connected apps</source>
        <translation>接続中のアプリ</translation>
    </message>
    <message>
        <source>Activity</source>
        <translation>アクティビティ</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>設定</translation>
    </message>
    <message>
        <source>Settings (Ctrl+,)</source>
        <translation>設定 (Ctrl+,)</translation>
    </message>
    <message>
        <source>Manage</source>
        <translation>管理</translation>
    </message>
    <message>
        <source>Scripts…</source>
        <translation>スクリプト…</translation>
    </message>
    <message>
        <source>New workspace</source>
        <translation>新しいワークスペース</translation>
    </message>
    <message>
        <source>Workspaces</source>
        <translation>ワークスペース</translation>
    </message>
    <message numerus="yes">
        <source>%n servers</source>
        <translation>
            <numerusform>サーバー %n 台</numerusform>
        </translation>
    </message>
    <message>
        <source>Projects…</source>
        <translation>プロジェクト…</translation>
    </message>
    <message>
        <source>Right-click or press the Menu key to rename or remove it</source>
        <translation>右クリックかメニューキーで、名前の変更や削除ができます</translation>
    </message>
    <message>
        <source>Rename…</source>
        <translation>名前を変更…</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>削除</translation>
    </message>
</context>
<context>
    <name>StartingPage</name>
    <message>
        <source>Starting…</source>
        <translation>起動しています…</translation>
    </message>
    <message>
        <source>The router is not running</source>
        <translation>ルーターは動作していません</translation>
    </message>
</context>
<context>
    <name>StatusBanners</name>
    <message>
        <source>The router couldn’t start listening for connections.</source>
        <translation>ルーターが接続の待ち受けを始められませんでした。</translation>
    </message>
    <message>
        <source>Apps can’t connect until this is fixed.</source>
        <translation>直すまでアプリは接続できません。</translation>
    </message>
    <message>
        <source>Settings…</source>
        <translation>設定…</translation>
    </message>
    <message>
        <source>Toolbooth keeps them in memory and saves them when it can.</source>
        <translation>Toolbooth は変更をメモリに保持し、書き込めるようになったら保存します。</translation>
    </message>
    <message>
        <source>Some changes aren’t saved yet</source>
        <translation>一部の変更がまだ保存されていません</translation>
    </message>
    <message>
        <source>{path}, line {line}</source>
        <translation>{path}、{line} 行目</translation>
    </message>
    <message>
        <source>{name} is invalid. The last valid version is still in use</source>
        <translation>{name} は使えません。直前の正しい内容を使い続けます</translation>
    </message>
    <message>
        <source>Open file</source>
        <translation>ファイルを開く</translation>
    </message>
</context>
<context>
    <name>Stepper</name>
    <message>
        <source>Decrease</source>
        <translation>減らす</translation>
    </message>
    <message>
        <source>Increase</source>
        <translation>増やす</translation>
    </message>
</context>
<context>
    <name>Steps</name>
    <message>
        <source>Step {number} of {count}: {name}</source>
        <translation>手順 {number}/{count}: {name}</translation>
    </message>
</context>
<context>
    <name>TextField</name>
    <message>
        <source>Shift+Enter starts a new line</source>
        <translation>Shift+Enter で改行</translation>
    </message>
</context>
<context>
    <name>ToolDetail</name>
    <message>
        <source>Copy tool name</source>
        <translation>ツール名をコピー</translation>
    </message>
    <message>
        <source>Access</source>
        <translation>アクセス</translation>
    </message>
    <message>
        <source>Allow</source>
        <translation>許可</translation>
    </message>
    <message>
        <source>Ask</source>
        <translation>確認</translation>
    </message>
    <message>
        <source>Block</source>
        <translation>拒否</translation>
    </message>
    <message>
        <source>Try it…</source>
        <translation>試す…</translation>
    </message>
    <message>
        <source>Description and parameters</source>
        <translation>説明とパラメーター</translation>
    </message>
    <message>
        <source>{count} tokens</source>
        <translation>{count} トークン</translation>
    </message>
    <message>
        <source>No description.</source>
        <translation>説明がありません。</translation>
    </message>
    <message>
        <source>Approve</source>
        <translation>承認</translation>
    </message>
    <message>
        <source>Dismiss</source>
        <translation>今後表示しない</translation>
    </message>
    <message>
        <source>No parameters</source>
        <translation>パラメーターはありません</translation>
    </message>
    <message>
        <source>Parameters</source>
        <translation>パラメーター</translation>
    </message>
</context>
<context>
    <name>ToolList</name>
    <message>
        <source>Filter tools</source>
        <translation>ツールを絞り込む</translation>
    </message>
    <message>
        <source>Tools</source>
        <translation>ツール</translation>
    </message>
    <message>
        <source>No matching tools.</source>
        <translation>一致するツールはありません。</translation>
    </message>
    <message numerus="yes">
        <source>Filter %n tools</source>
        <translation>
            <numerusform>%n 個のツールを絞り込む</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ToolModel</name>
    <message numerus="yes">
        <source>%n tokens</source>
        <translation>
            <numerusform>%n トークン</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>TrayMenu</name>
    <message>
        <source>Settings…</source>
        <translation>設定…</translation>
    </message>
    <message>
        <source>Quit Toolbooth</source>
        <translation>Toolbooth を終了</translation>
    </message>
    <message>
        <source>Stops all servers</source>
        <translation>すべてのサーバーを停止します</translation>
    </message>
    <message numerus="yes">
        <source>%n more…</source>
        <translation>
            <numerusform>ほか %n 件…</numerusform>
        </translation>
    </message>
    <message>
        <source>Open Toolbooth</source>
        <translation>Toolbooth を開く</translation>
    </message>
    <message>
        <source>Copy MCP URL</source>
        <translation>MCP の URL をコピー</translation>
    </message>
    <message>
        <source>Refresh tools</source>
        <translation>ツールを更新</translation>
    </message>
    <message>
        <source>Workspace</source>
        <translation>ワークスペース</translation>
    </message>
    <message>
        <source>Context Optimization: {name}</source>
        <translation>コンテキスト最適化: {name}</translation>
    </message>
</context>
<context>
    <name>TryToolDialog</name>
    <message>
        <source>Try {tool}</source>
        <translation>{tool} を試す</translation>
    </message>
    <message>
        <source>Result</source>
        <translation>結果</translation>
    </message>
    <message>
        <source>The result appears here.</source>
        <translation>結果はここに表示されます。</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>実行</translation>
    </message>
    <message>
        <source>Running…</source>
        <translation>実行中…</translation>
    </message>
    <message>
        <source>Copy result</source>
        <translation>結果をコピー</translation>
    </message>
    <message>
        <source>This runs the tool for real, with your permissions.</source>
        <translation>このツールを、あなたの権限で実際に実行します。</translation>
    </message>
    <message>
        <source>The tool returned an error</source>
        <translation>ツールがエラーを報告しました</translation>
    </message>
    <message>
        <source>Done</source>
        <translation>完了</translation>
    </message>
</context>
<context>
    <name>UndoBar</name>
    <message>
        <source>Undo</source>
        <translation>元に戻す</translation>
    </message>
</context>
<context>
    <name>Windows</name>
    <message>
        <source>Another link is already open.</source>
        <translation>すでに別のリンクが開いています。</translation>
    </message>
    <message>
        <source>Finish adding that server first, then open the other link again.</source>
        <translation>先にそのサーバーの追加を終えてから、もう一方のリンクを開き直してください。</translation>
    </message>
</context>
<context>
    <name>_Form</name>
    <message>
        <source>App name</source>
        <translation>アプリの名前</translation>
    </message>
    <message>
        <source>App name, such as Claude Code</source>
        <translation>アプリの名前（例: Claude Code）</translation>
    </message>
    <message>
        <source>Access scope</source>
        <translation>アクセス範囲</translation>
    </message>
    <message>
        <source>Expires</source>
        <translation>有効期限</translation>
    </message>
    <message>
        <source>Until revoked</source>
        <translation>取り消すまで</translation>
    </message>
    <message>
        <source>One day</source>
        <translation>1 日</translation>
    </message>
    <message>
        <source>30 days</source>
        <translation>30 日</translation>
    </message>
    <message>
        <source>One year</source>
        <translation>1 年</translation>
    </message>
    <message>
        <source>Create token</source>
        <translation>トークンを作成</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>キャンセル</translation>
    </message>
    <message>
        <source>New token</source>
        <translation>新しいトークン</translation>
    </message>
    <message>
        <source>The active workspace</source>
        <translation>アクティブなワークスペース</translation>
    </message>
    <message>
        <source>Only {name}</source>
        <translation>{name} のみ</translation>
    </message>
</context>
<context>
    <name>_Hours</name>
    <message>
        <source>Tokens saved in each of the last 24 hours</source>
        <translation>直近 24 時間の 1 時間ごとの削減トークン数</translation>
    </message>
</context>
<context>
    <name>_ParameterRow</name>
    <message>
        <source>required</source>
        <translation>必須</translation>
    </message>
</context>
<context>
    <name>_Row</name>
    <message>
        <source>Remove</source>
        <translation>削除</translation>
    </message>
    <message>
        <source>Show value</source>
        <translation>値を表示</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名前</translation>
    </message>
    <message>
        <source>Hide value</source>
        <translation>値を隠す</translation>
    </message>
    <message>
        <source>Value</source>
        <translation>値</translation>
    </message>
</context>
<context>
    <name>_RuleForm</name>
    <message>
        <source>Rule action</source>
        <translation>ルールの内容</translation>
    </message>
    <message>
        <source>Server</source>
        <translation>サーバー</translation>
    </message>
    <message>
        <source>Tools, by name</source>
        <translation>ツール（名前）</translation>
    </message>
    <message>
        <source>All tools, or a pattern: write_*</source>
        <translation>すべてのツール、またはパターン: write_*</translation>
    </message>
    <message>
        <source>Tool type</source>
        <translation>ツールの種類</translation>
    </message>
    <message>
        <source>Any type</source>
        <translation>種類を問わない</translation>
    </message>
    <message>
        <source>Read-only</source>
        <translation>読み取りのみ</translation>
    </message>
    <message>
        <source>Destructive</source>
        <translation>破壊的なもの</translation>
    </message>
    <message>
        <source>Add rule</source>
        <translation>ルールを追加</translation>
    </message>
    <message>
        <source>All servers</source>
        <translation>すべてのサーバー</translation>
    </message>
    <message>
        <source>New rule</source>
        <translation>新しいルール</translation>
    </message>
</context>
<context>
    <name>_ShownOnce</name>
    <message>
        <source>Token</source>
        <translation>トークン</translation>
    </message>
    <message>
        <source>Token for {name}</source>
        <translation>{name} のトークン</translation>
    </message>
    <message>
        <source>Copy mcp.json snippet</source>
        <translation>mcp.json 用の記述をコピー</translation>
    </message>
    <message>
        <source>I’ve saved it</source>
        <translation>保存しました</translation>
    </message>
    <message>
        <source>Copy token</source>
        <translation>トークンをコピー</translation>
    </message>
    <message>
        <source>Copy the token now. It is not stored and won’t be shown again.</source>
        <translation>今すぐトークンをコピーしてください。どこにも保存されず、二度と表示されません。</translation>
    </message>
    <message>
        <source>Paste the snippet into the app, or these two values:</source>
        <translation>記述全体、または次の 2 つの値をアプリに貼り付けてください:</translation>
    </message>
    <message>
        <source>Show token</source>
        <translation>トークンを表示</translation>
    </message>
    <message>
        <source>Hide token</source>
        <translation>トークンを隠す</translation>
    </message>
</context>
</TS>
