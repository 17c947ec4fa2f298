"""The same in other languages: overriding, secrecy, handing over, pressing."""

from __future__ import annotations

from router.discovery.vetting.rules import HALF, HINT, STRONG, rule

_JA_PRIVATE = (
    r"(?:会話(?:履歴|内容|ログ|全体|の全文|のすべて)?|チャット(?:履歴|ログ)|システムプロンプト|秘密鍵|認証情報"
    r"|環境変数|履歴|パスワード|API\s?キー|トークン|クッキー|個人情報|連絡先|鍵ファイル|~/\.|\.env|\.ssh)"
)
_JA_HAND = (
    r"(?:含め|渡し|渡す|送信|送っ|送り|送る|添付|貼り付け|入れ|転送|アップロード"
    r"|書き込|埋め込|追記|出力|開示|コピー)"
)
_ZH_PRIVATE = (
    r"(?:系统提示词?|对话(?:记录|历史|内容)|聊天记录|密钥|密码|凭据|凭证|环境变量"
    r"|私钥|令牌|~/\.|\.env|\.ssh|通讯录)"
)
_ZH_HAND = r"(?:发送|传递|传入|填入|填写|上传|附加|附上|转发|写入|输出|放入|放到|泄露)"

_NOT_IN_ASCII = "読"
"""For rules whose words are all in other scripts: texts in ASCII alone are spared them."""

OTHER_LANGUAGES = (
    rule(
        "overrides instructions",
        "anweisungen regeln vorgaben instrucciones órdenes instructions consignes istruzioni "
        "instruções instrucoes",
        STRONG,
        r"\b(?:ignorier|vergiss|missacht|vergesse)\w*\b[^.\n]{0,30}\b(?:anweisungen|regeln|vorgaben)",
        r"\b(?:ignor[ae]\w*|olvid[ae]\w*|descart[ae]\w*)\b[^.\n]{0,20}\b(?:instrucciones|órdenes|reglas)",
        r"\b(?:ignore[rz]?|oublie[rz]?)\b[^.\n]{0,20}\b(?:instructions|consignes|règles)\s+(?:pr[ée]c|ant|ci)",
        r"\b(?:ignora|dimentica)\w*\b[^.\n]{0,20}\b(?:istruzioni|regole)",
        r"\b(?:ignore|esqueça|desconsidere)\b[^.\n]{0,20}\b(?:instruç|instruco|regras)",
        r"(?:指示|命令|ルール|規則|プロンプト|制約|設定|ガイドライン)[^。\n]{0,12}(?:無視|忘れ|破棄|無効|取り消)",
        r"(?:無視|忘れ)[^。\n]{0,10}(?:指示|命令|ルール)",
        r"(?:忽略|无视|忘记|忘掉|無視)[^。\n]{0,12}(?:指令|指示|说明|规则|提示|命令|要求)",
        r"이전[^.\n]{0,12}(?:지시|명령|규칙)[^.\n]{0,8}무시",
        r"(?:игнорируй|забудь|проигнорируй)\w*[^.\n]{0,30}(?:инструкци|указани|правил)",
    ),
    rule(
        "keeps something from the user",
        "nutzer benutzer anwender usuario usuário usuario utilisateur utente",
        STRONG,
        r"\b(?:sage?|teile?|verrate?|zeige?|erwähne?|informiere?)\b[^.\n]{0,40}\b(?:be)?nutzer\b[^.\n]{0,40}"
        r"\b(?:nicht|nichts|nie|niemals)\b",
        r"\bohne\s+(?:dass\s+)?(?:dem|den|der|die)\s+(?:be)?(?:nutzer|anwender)\w*\b[^.\n]{0,40}"
        r"\b(?:informieren|sagen|fragen|mitzuteilen|merkt|erfährt|bemerkt|wissen)",
        r"\bno\s+(?:le\s+|se\s+lo\s+)?(?:digas|diga|informes?|avises?|muestres?|menciones?)\b[^.\n]{0,40}"
        r"\busuario",
        r"\bsin\s+(?:avisar|informar|decir\w*|que)\b[^.\n]{0,20}\busuario",
        r"\bn(?:e|')\s*(?:rien\s+|pas\s+)?(?:di(?:re|s|tes)|inform\w+|mentionn\w+|montr\w+|préven\w+)\b"
        r"[^.\n]{0,40}\butilisateur",
        r"\bsans\s+(?:en\s+)?(?:informer|prévenir|avertir|(?:le\s+)?dire|que)\b[^.\n]{0,20}\butilisateur",
        r"\bnon\s+(?:dire|informare|avvisare|mostrare|menzionare)\b[^.\n]{0,30}\butente",
        r"\bnão\s+(?:diga|informe|avise|mostre|mencione|conte)\b[^.\n]{0,30}\busuário",
        r"(?:ユーザー?|利用者|使用者|本人|人間)[^。\n]{0,8}(?:知らせ|言わ|言う|伝え|見せ|報告|通知|説明|教え|明か|気づか|気付か|悟ら"
        r"|知ら)[^。\n]{0,6}(?:ない|ず|な(?:。|$)|ません|なく)",
        r"(?:ユーザー?|利用者)[^。\n]{0,8}(?:内緒|秘密|伏せ|黙って|隠)|(?:口外|他言)し?(?:ない|ず|無用)",
        r"(?:不要|不得|切勿|请勿|别|無需|无需)[^。\n]{0,6}(?:告诉|告知|通知|提及|透露|让|向|提示|告訴|讓)[^。\n]{0,6}"
        r"(?:用户|使用者|任何人|用戶)",
        r"사용자에게[^.\n]{0,12}(?:알리지|말하지|보여주지)",
        r"не\s+(?:говори|сообщай|рассказывай|показывай|упоминай)\w*[^.\n]{0,30}пользовател",
    ),
    rule(
        "hands private things over",
        "passwort zugangsdaten schlüssel gesprächsverlauf contraseña conversación clave "
        "motdepasse conversation senha",
        HALF,
        rf"{_JA_PRIVATE}[^。\n]{{0,30}}{_JA_HAND}",
        rf"{_ZH_PRIVATE}[^。\n]{{0,24}}{_ZH_HAND}|{_ZH_HAND}[^。\n]{{0,24}}{_ZH_PRIVATE}",
        r"\b(?:sende|schicke|übergib|füge|kopiere|lade)\w*\b[^.\n]{0,60}\b(?:passw|zugangsdaten|schlüssel"
        r"|gesprächsverlauf|verlauf|umgebungsvariablen|token)",
        r"\b(?:env[íi]a|incluye|pasa|copia|sube|adjunta)\w*\b[^.\n]{0,60}\b(?:contraseña|clave|conversación"
        r"|credencial|historial|token)",
        r"\b(?:envoie|inclus|transmet|copie|joins|ajoute)\w*\b[^.\n]{0,60}\b(?:mot\s+de\s+passe|clé|identifiants"
        r"|conversation|historique|jeton)",
        r"\b(?:envie|inclua|copie)\b[^.\n]{0,60}\b(?:senha|chave|conversa|credenciais)",
    ),
    rule(
        "hands the conversation over",
        _NOT_IN_ASCII,
        STRONG,
        r"(?:会話|チャット履歴|システムプロンプト|秘密鍵|~/\.|\.env)[^。\n]{0,30}(?:引数|パラメータ|フィールド|`|https?:|外部|サーバ)"
        r"[^。\n]{0,12}(?:含め|渡|送|貼|入れ|書き|転送)",
        r"(?:系统提示|聊天记录|对话记录|对话历史|私钥|~/\.)[^。\n]{0,20}(?:参数|字段|`|https?:|服务器)",
    ),
    rule(
        "reaches for private files",
        _NOT_IN_ASCII,
        HALF,
        r"(?:~/\.\w+|\.ssh|\.env|id_rsa|/etc/(?:passwd|shadow)|\.aws)[^。\n]{0,20}"
        r"(?:読|開|内容|中身|取得|参照|读取|讀取|打开|获取)",
        r"(?:读取|打开|讀取|获取)[^。\n]{0,12}(?:~/\.\w+|\.ssh|\.env|id_rsa|/etc/(?:passwd|shadow)|\.aws)",
    ),
    rule(
        "compels",
        "unbedingt zuerst bevor immer musst siempre primero debes antes toujours abord avant doit "
        "devez",
        HINT,
        r"必ず|(?:使う|呼ぶ|実行する|回答する|応答する|答える)前に|なければ(?:なり|いけ|なら)|毎回|最初に|先に|まず|引数|フィールド|してください",
        r"必须|必須|请先|首先|之前|参数|字段|务必|一定要",
        r"\b(?:unbedingt|zuerst|bevor|immer|musst|siempre|primero|debes|antes\s+de|toujours|d'abord|avant\s+de"
        r"|doit|devez)\b",
    ),
    rule(
        "does something unseen",
        "heimlich unbemerkt silencio secretamente secrètement discrètement",
        HALF,
        r"こっそり|密かに|ひそかに|黙って|秘密裏|内緒|悄悄|秘密地|暗中|偷偷",
        r"\b(?:heimlich|unbemerkt|en\s+secreto|secretamente|en\s+silencio|secrètement|discrètement)\b",
    ),
    rule(
        "addresses the model",
        "assistent modell asistente modelo assistant modèle",
        HALF,
        r"(?:AI|アシスタント|言語モデル|LLM|エージェント|モデル)(?:は|へ|向け|への指示|に対する)[^。\n]{0,40}"
        r"(?:必ず|してください|すること|しなさい|せよ|従|しなければ)",
        r"あなたは(?:今から|これから|今後|もはや)|(?:助手|模型|智能体|AI)(?:必须|应当|需要|请)",
        r"\bals\s+(?:assistent|ki|modell)\b|\bcomo\s+(?:asistente|modelo|ia)\b|\ben\s+tant\s+qu'assistant\b",
    ),
    rule(
        "skips the question",
        "ohne sin sans",
        HALF,
        r"(?:確認|承認|許可|同意)[^。\n]{0,6}(?:求めず|取らず|せず|不要|省略|済みとみな|なしに|なしで)",
        r"(?:无需|不用|跳过|不必)[^。\n]{0,4}(?:确认|询问|批准|许可|同意)",
        r"\bohne\s+(?:rückfrage|bestätigung|zu\s+fragen)|\bsin\s+(?:preguntar|confirmación|pedir)",
        r"\bsans\s+(?:demander|confirmation)\b",
    ),
)
