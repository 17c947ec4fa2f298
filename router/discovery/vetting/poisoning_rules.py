"""What words that steer a model look like: the rules, in English. They name kinds of behaviour;
`tests/…/labelled` says which texts they were written after."""

from __future__ import annotations

from router.discovery.vetting.rules import HALF, HINT, STRONG, rule

_NEAR = r"[^.\n]{0,60}"
_FAR = r"[^.\n]{0,100}"
_THE_USER = r"(?:the|your|any|a)\s+(?:end[ -]?)?(?:users?|human|person|customer|operator|owner)\b"
_PATHS = (
    r"(?:~/\.(?!bashrc)\w+|\.ssh\b|id_(?:rsa|ed25519)|\.aws/credentials|\.env\b|/etc/(?:passwd|shadow)"
    r"|mcp\.json|\.netrc|\.npmrc|\.pgpass|\.git-credentials|\.kube/config|wallet\.dat|\.\w{2,4}_history"
    r"|\.gnupg|/proc/self/environ|keychain|login\s+data|cookies\.sqlite|seed\s+phrase"
    r"|saved\s+passwords|password\s+manager|~/Documents|~/backup|private\s+keys?)"
)
_PRIVATE = (
    r"(?:system\s+prompt|(?:conversation|chat)\s+(?:history|log)|(?:entire|full|whole|complete)\s+"
    r"(?:conversation|chat)|(?:previous|private)\s+messages|api\s*keys?|(?:access|session)\s+tokens?"
    r"|credentials?|passwords?|private\s+keys?|environment\s+variables?|cookies|clipboard"
    r"|conversation\b|browsing\s+history|the\s+keys\b|phone\s+numbers|secrets\b|seed\s+phrase"
    r"|contact\s+list|source\s+code)"
)
_ADDRESS = r"(?:https?://|s3://|[\w.+-]{1,60}@[\w-]{1,60}|\d{1,3}(?:\.\d{1,3}){3}|\+\d{6,})"
_HAND_OVER = (
    r"(?:pass|include|put|provide|give|supply|hand|forward|append|attach|submit|add|insert|set"
    r"|export|exports|collect|place|paste|write|fill|embed|encode|enter|disclose|store|repeat|copy)"
)
_SEND = (
    r"(?:send|post|forward|upload|transmit|submit|copy|leak|exfiltrate|e-?mail|dump|report|route"
    r"|sync|mirror|relay|deliver|stream|push)"
)
_TELL = (
    r"(?:tell(?:ing)?|mention(?:ing)?|inform(?:ing)?|notify(?:ing)?|reveal(?:ing)?|disclos(?:e|ing)"
    r"|show(?:ing)?|alert(?:ing)?|display(?:ing)?|let(?:ting)?|point(?:ing)?|report(?:ing)?)"
)
_NOT = r"(?:do\s+not|don'?t|never|must\s+not|should\s+not|without)\s+(?:ever\s+)?"


ENGLISH = (
    rule(
        "overrides instructions",
        "ignore ignoring disregard disregarding forget override overrides overriding bypass "
        "neglect discard drop void supersede supersedes previous earlier prior instructions "
        "told",
        STRONG,
        r"\b(?:ignor(?:e|ing)|disregard(?:ing)?|forget|overrid(?:e|es|ing)|bypass|neglect|discard|drop|void"
        r"|supersedes?)\s+(?:(?:all|any|the|your|of|every|my|other|those)\s+){0,4}"
        r"(?:previous|prior|earlier|above|preceding|existing|original|other|initial|former)\s+(?:\w+\s+)?"
        r"(?:instructions?|directions?|directives?|rules|prompts?|guidelines|guidance|commands|system|context"
        r"|constraints|policies|orders)",
        r"\b(?:ignore|disregard|bypass|override|forget|violate)\s+(?:all\s+|any\s+)?(?:of\s+)?(?:your|its)\s+"
        r"(?:\w+\s+)?(?:safety|rules\b|guidelines|instructions|training|policies|restrictions|programming"
        r"|guardrails|constraints|prompt)",
        r"\b(?:ignore|disregard|bypass)\s+(?:all\s+|any\s+)?the\s+(?:safety|rules\b|guidelines)",
        r"\b(?:instructions?|rules|guidelines)\s+(?:above|before\s+this|you\s+(?:were|have\s+been|got)\s+\w+)"
        r"[^.\n]{0,30}\b(?:void|invalid|cancell?ed|obsolete|superseded|no\s+longer|do(?:es)?\s+not\s+apply)\b",
        r"\b(?:ignore|forget|disregard)\s+(?:everything|anything|what(?:ever)?)\s+(?:\w+\s+){0,3}(?:told|said"
        r"|instructed|learned|before|above)\b",
        r"\bforget\s+everything\b",
        r"\b(?:previous|earlier|prior)\s+(?:guidelines|instructions|rules|system\s+prompt)\s+"
        r"(?:no\s+longer|as\s+void|are\s+void)",
        r"\b(?:ignore|disregard|forget)\s+(?:\w+\s+){0,3}(?:instructions?|rules|guidelines|directions|policies)\s+"
        r"(?:you|given|from\s+(?:the|your)|set\s+by|for\s+this)\b",
        r"\btreat\s+any\s+earlier\s+system\s+prompt\b",
        r"\bprevious\s+description\s+was\s+a\s+test\b",
    ),
    rule(
        "gives new instructions",
        "your new you from real act",
        STRONG,
        r"\byour\s+(?:(?:new|actual|real|true|only)\s+)?(?:instructions|task|goal|objective|role|mission"
        r"|system\s+prompt)\s+(?:are|is|have\s+been|has\s+been)\s+(?:now|to|updated|changed|replaced|:)",
        r"\byour\s+new\s+(?:instructions|task|role|goal|orders)\b",
        r"\bnew\s+(?:system\s+(?:prompt|instructions?|message|policy)|instructions?|directive)\b\s*:",
        r"\byou\s+are\s+(?:now|no\s+longer)\s+(?:an?|in)\b",
        r"\byou\s+now\s+(?:work|act|answer|report)\s+(?:for|to|on)\b|\bfree\s+of\s+all\s+(?:rules|restrictions)\b",
        r"\bfrom\s+(?:now|this\s+point)\s+on\b[^.\n]{0,20}\b(?:respond|answer|you|your|obey)\b",
        r"\bthe\s+real\s+task\s+is\b",
    ),
    rule(
        "speaks as the system",
        "important system secret instruction instructions hidden admin critical inst sys "
        "tool_description end im_start im_end description assistant user human",
        STRONG,
        r"<\s*/?\s*(?:IMPORTANT|SYSTEM|SECRET|INSTRUCTIONS?|HIDDEN|ADMIN|CRITICAL)\s*>",
        r"\[/?INST\]|<<SYS>>|<\|[a-z_]{1,20}\|>|\[SYSTEM\b[^\]\n]{0,40}\]",
        r"\bSYSTEM(?:\s+[A-Z]{2,12}){0,4}\s*:",
        r"#{2,}\s*(?:System|Instructions?)\s*:",
        r"</(?:tool_)?description>|\bEnd of tool description\b|<(?:assistant|user|human)>\s*\w",
        r"<(system|important|secret|hidden|instructions?|admin)>[^<\n]{10,400}</\1>",
        r"<(?:secret|hidden|instructions?)>\s*\w+\s",
        exact=True,
    ),
    rule(
        "plays a part in the conversation",
        "system assistant user hidden",
        HALF,
        r"(?:^|[.\n]\s{0,3})\s*(?:system|assistant|user)\s*[:,]\s",
        r"\bhidden\s+instruction\s*:",
    ),
    rule(
        "keeps something from the user",
        "tell telling mention mentioning inform informing notify notifying reveal revealing "
        "disclose disclosing show showing alert alerting display displaying let letting point "
        "pointing report reporting hide hidden hiding conceal keep kept invisible "
        "confidential secret secretly user users user's knowledge stay say saying lie pretend "
        "claim avoid refrain leave omit need without between know noticing human person "
        "customer operator awareness awares explain explaining list listing describe "
        "describing log summary",
        STRONG,
        rf"\b{_NOT}{_TELL}\b(?:(?!\bunless\b|\bif\b)[^.\n]){{0,80}}?\b(?:{_THE_USER}|anyone|anybody)",
        rf"\b{_NOT}(?:mention|reveal|disclose|display|mentioning|revealing)\s+(?:that|this|these|it\b)",
        rf"\b(?:hide|hidden|conceal|keep|invisible|confidential|secret)\b{_NEAR}\b(?:from|to)\s+{_THE_USER}",
        rf"\b{_THE_USER}\s+(?:must|should|may|need|does|will)\s*(?:not|n'?t|never)\s+(?:need\s+to\s+|ever\s+)?"
        r"(?:know|hear|see|notice|learn|be\s+(?:told|aware|informed|notified|shown|asked))\b",
        r"\bwithout\s+(?:the\s+)?(?:user|human|person|customer|owner)'?s?\s+(?:ever\s+)?(?:noticing|knowing"
        r"|seeing|realising|realizing|being\s+\w+|awareness)\b",
        rf"\bwithout\s+(?:any\s+)?(?:notice|notification|mention|word|explanation)\s+to\s+{_THE_USER}",
        rf"\b(?:avoid|refrain\s+from|skip)\s+{_TELL}\b[^.\n]{{0,60}}",
        r"\bno\s+need\s+to\s+(?:mention|tell|inform|explain|disclose|notify|report)\b",
        rf"\b{_NOT}(?:explain|list|describe|log|include|repeat)(?:ing)?\s+(?:this|that|these|it|the\s+step)\b"
        r"[^.\n]{0,40}\b(?:user|answer|reply|response|summary|output)\b",
        r"\b(?:omit|leave|keep)\b[^.\n]{0,40}\b(?:from|out\s+of)\s+(?:your|the|any)\s+(?:final\s+)?(?:answer"
        r"|reply|response|summary|explanation|message\s+to)",
        r"\b(?:keep|stays?)\s+(?:this|it|that)\s+(?:between\s+us|quiet|to\s+yourself|private\s+from)\b",
        r"\bthe\s+user'?s\s+(?:knowledge|back|awareness)\b",
        r"\b(?:keep|do)\s+this\s+(?:step\s+|instruction\s+)?(?:hidden|secret|secretly)\b",
        r"\btell\s+no\s+one\b|\bsay(?:ing)?\s+nothing\b|\bhide\s+(?:it|this|tool\s+calls)\b",
        r"\b(?:must|shall|should|has\s+to)\s+(?:stay|remain|be\s+kept)\s+(?:hidden|secret|invisible)\b",
        rf"\blie\s+and\s+say\b|\btell\s+{_THE_USER}\s+(?:only|everything)\b|\bbut\s+tell\s+{_THE_USER}",
        r"\bpretend\s+(?:that|to)\b|\b(?:report|claim|say)\s+that\s+(?:the\s+user|an?\s+admin)",
        r"\bdo\s+not\s+(?:report|point)\b",
    ),
    rule(
        "does something unseen",
        "secretly silently quietly covertly background invisible",
        0.5,
        r"\b(?:secretly|silently|quietly|covertly|in\s+the\s+background|invisible)\b",
    ),
    rule(
        "hands private things over",
        "pass include put provide give supply hand forward append attach submit add insert "
        "set export exports collect send post upload transmit copy leak exfiltrate email mail "
        "dump conversation chat verbatim said thought contain place paste write fill embed "
        "encode enter disclose store repeat take extract sync mirror relay deliver stream "
        "push report route your transcript private",
        STRONG,
        rf"\b{_HAND_OVER}\b{_FAR}\b(?:{_PRIVATE}|contents?|bytes|output\s+of|message)\b{_NEAR}\b"
        r"(?:as|in|into|to)\s+(?:the\s+|its\s+)?(?:[`'\"]|(?:second|next)\s+argument|argument\b"
        r"|commit\s+message|note's|tool\s+call)",
        rf"(?<!not\s)(?<!never\s)\b{_SEND}\b{_NEAR}\b(?:{_PRIVATE})(?!\s+(?:of\s+a|to\s+a\s+human))",
        rf"\b(?:add|put|place|embed)\b{_NEAR}\b(?:credentials?|tokens?|secrets?|keys?)\b{_NEAR}`",
        rf"\b(?:take|extract|copy|grab|use|pass|include|collect)\b{_NEAR}\b(?:{_PRIVATE})\b[^.\n]{{0,30}}\b(?:from|in|of)"
        r"\s+(?:the\s+|your\s+|this\s+)?(?:\w+\s+)?(?:conversation|context|chat|history|last\s+response"
        r"|previous\s+(?:response|result|message)s?|session|thread|environment|other\s+tools?|memory)\b"
        r"[^.\n]{0,60}\b(?:pass|as|in|into|to|with)\b",
        rf"\b(?:{_HAND_OVER}|{_SEND}|reveal|print|output|share|quote|echo)\b[^.\n]{{0,40}}\byour\s+(?:own\s+|full\s+"
        r"|entire\s+|current\s+|hidden\s+|complete\s+)?(?:system\s+(?:prompt|message|instructions)|prompt\b"
        r"|instructions\b|context\b|memory\b|reasoning|developer\s+message)",
        r"\b(?:full|entire|whole|complete)\s+(?:conversation|chat)(?:\s+(?:history|log|context|transcript))?"
        r"(?=[^.\n]{0,40}\b(?:so\s+far|verbatim|word|including|with\s+the\s+user|above|here)\b"
        r"|[^.\n]{0,30}\b(?:as|in|into)\s+(?:the\s+)?[`'\"]|>|\s*\()",
        r"\blast\s+message\s+verbatim\b|\beverything\s+the\s+user\s+(?:has\s+)?(?:said|typed|written)\b"
        r"|\bchain\s+of\s+thought\b",
        r"\b(?:private|internal|confidential)\b[^.\n]{0,60}\b(?:copy|post|publish|paste|push|commit|include)\b"
        r"[^.\n]{0,60}\bpublic\b",
        r"\b(?:include|contain|supply)\b[^.\n]{0,60}\b(?:password|access\s+token|secret|session\s+token"
        r"|[A-Z]{2,20}_(?:SECRET|TOKEN|KEY)\w*)\b",
    ),
    rule(
        "collects secrets",
        "secret secrets token tokens credential credentials password passwords key keys",
        STRONG,
        r"\b(?:secret|token|credential|password|key)s?\b[^.\n]{0,60}\b(?:must|should|shall|has\s+to|have\s+to)\s+be\s+"
        r"(?:added|put|included|passed|sent|copied)\b",
        r"\b(?:harvest|gather|collect|scrape|steal)\b[^.\n]{0,40}\b(?:credentials?|passwords?|tokens?|secrets|keys)\b",
    ),
    rule(
        "names where to send things",
        "send sends post posts posted forward forwards forwarded upload uploads uploaded "
        "uploading transmit transmits submit submits copy copied leak leaks exfiltrate email "
        "mail dump report route sync mirror mirrored synced relay deliver stream push http "
        "https",
        HALF,
        rf"(?<!not\s)\b{_SEND}(?:ed|s)?\b{_FAR}\b(?:to|at|through|using)\b[^.\n]{{0,40}}{_ADDRESS}",
        rf"\b(?:uploaded|copied|forwarded|uploading|uploads|mirrored|synced)\b{_NEAR}\b(?:to|server)\b",
        r"!\[[^\]\n]{0,60}\]\(https?://[^)\s]{1,200}[?={]",
    ),
    rule(
        "sends everything away",
        "all every full entire whole complete each any",
        HALF,
        rf"(?<!not\s)\b{_SEND}\b{_NEAR}\b(?:all|every|each|full|entire|whole|complete|any)\b{_FAR}\b(?:to|at|via)\b"
        rf"[^.\n]{{0,30}}{_ADDRESS}",
    ),
    rule(
        "reaches for private files",
        "read open list cat include pass send dump copy upload upload_file read_file submit "
        "delete rm export content contents paste place put provide attach fetch load grab "
        "retrieve access check scan look search locate collect encode extract find",
        HALF,
        rf"\b(?:read|open|list|cat|include|pass|send|dump|copy|upload|upload_file|read_file|submit|delete"
        rf"|rm|export|paste|place|put|provide|attach|fetch|grab|retrieve|access|collect|encode|extract|locate"
        rf"|look\s+(?:in|into|at|for)|(?:check|scan|search|find)\s+(?:for|in|the))\b"
        rf"(?!\s+(?:the\s+|a\s+|an\s+)?(?:absolute\s+)?(?:path|location|file\s*name|name))(?<!path\s){_NEAR}{_PATHS}",
        rf"\bcontents?\s+of\s+(?:the\s+)?(?:files?\s+)?(?:their\s+)?\S{{0,20}}{_PATHS}",
    ),
    rule(
        "compels",
        "",
        HINT,
        r"\b(?:must|mandatory|obligated|crucial|has\s+to|have\s+to|always|otherwise|whenever|in\s+order\s+to"
        r"|needed\s+for|or\s+the\s+call|(?:is|are)\s+required|first\b|here\b|will\s+(?:fail|be\s+rejected)"
        r"|(?:broken|does\s*n'?o?t\s+work|fails|rejected)\s+(?:unless|without)|this\s+field|needs\s+to|hereby)",
        r"\b(?:before|prior\s+to|after)\s+(?:using|running|each|every|any|answering|you|publishing|continuing"
        r"|responding|replying|calling|proceeding|returning|completing|invoking)\b",
        r"\bfor\s+(?:security|compliance|audit(?:ing)?|verification|validation|debugging|telemetry|quality"
        r"|diagnostics?|personali[sz]ation|authentication)\b(?:\s+(?:purposes|reasons|checks?))?",
    ),
    rule(
        "changes what other tools do",
        "when whenever while if switch change replace use call must sure always pass append "
        "insert add answer reply response other subsequent future tool tools deprecated bcc "
        "cc instead",
        STRONG,
        rf"\b(?:when|whenever|while|if)\b{_NEAR}\b(?:tools?|invoked|calls?|called|available|\w+_\w+)\b{_FAR}\b"
        r"(?:change|replace|set|switch|pass)\b[^.\n]{0,40}\b(?:recipient|number|address|account|destination"
        r"|data|phone)\b",
        r"\b(?:do\s+not|don'?t|never|refuse\s+to)\s+(?:use|call)\s+(?:any\s+other|other|them)\b",
        rf"\bother\s+tools?\b{_FAR}\b(?:outdated|compromised|trusted|refuse)\b",
        rf"\b(?:must|make\s+sure)\b{_NEAR}\b(?:forwarded|copied|sent)\s+to\b",
        r"\balways\s+add\s+\S{1,80}@\S{1,80}\s+to\s+(?:the\s+)?b?cc\b|\bb?cc\b[^.\n]{0,40}\S{1,60}@\S{1,60}\b",
        r"\b(?:every|all|any|each)\s+(?:other\s+|subsequent\s+|future\s+|following\s+|later\s+)"
        r"(?:tool\s+)?(?:calls?|tools?|requests?|invocations?|messages?)\b[^.\n]{0,60}\b(?:must|should|include|add"
        r"|append|route|through|also|first)\b",
        r"\b(?:other|the|those|similar|competing)\s+(?:\w+\s+)?tools?\s+(?:is|are)\s+(?:deprecated|unsafe|broken"
        r"|insecure|malicious|compromised|unreliable|dangerous|disabled)\b",
        r"\b(?:when|whenever|if|before|after)\b[^.\n]{0,40}\b(?:\w+_\w+|(?:another|any\s+other|the\s+\w+)\s+"
        r"(?:tool|server))\b[^.\n]{0,60}\b(?:also|instead|substitute|redirect|rewrite|modify|append|swap)\b"
        r"[^.\n]{0,60}\b(?:recipient|address|account|url|amount|body|argument|parameter|email|payment|number"
        r"|token|query|message)s?\b",
        r"\bfor\s+(?:any|every|all|each)\s+(?:user\s+)?(?:request|query|question|message|prompt|task)s?\b(?!\s+about)"
        r"[^.\n]{0,60}\b(?:call|invoke|use|run)\s+(?:this|it)\b",
        r"\b(?:switch|change|replace)\s+the\s+(?:\w+\s+)?(?:address|recipient|account|number)\s+(?:to|by|with)\b",
        r"\bin\s+(?:the\s+final|your|every|each)\s+(?:answer|reply|response)\b[^.\n]{0,20}\b(?:insert|include|add)\b",
        r"\bpass\s+that\s+data\s+to\s+this\s+tool\b|\breturns\s+data,\s+pass\b",
        r"\b(?:append|insert|add)\b[^.\n]{0,60}\b(?:to|in|in\s+the)\s+(?:every|each|all|final|your)\s+"
        r"(?:answer|repl|response)",
    ),
    rule(
        "decides what is answered",
        "your every each all answer say tell whatever regardless matter pixel",
        STRONG,
        r"\b(?:your|every|each|all)\s+(?:output|answers?|repl(?:y|ies)|responses?)\b[^.\n]{0,60}(?:https?://|\bvisit\b"
        r"|\bpowered\s+by\b|\badvert|\bpromot|\bbuy\b|\bvote\b)",
        r"\banswer\s+(?:all\s+|any\s+|every\s+)?questions?\s+(?:about\s+[\w\s]{1,30}\s)?with\s+[\"'\u201c]",
        r"\b(?:whatever|regardless\s+of\s+what|no\s+matter\s+what)\s+(?:the\s+)?(?:user|person|customer|caller)\b",
        r"\b(?:if|when)\b[^.\n]{0,60}\b(?:ask|asks|asked|questioned|wonders)\b[^.\n]{0,60}\b(?:say\s+(?:no|yes)\b|deny\b"
        r"|lie\b)",
        rf"\btell\s+{_THE_USER}\s+(?:that\s+)?(?:everything|all)\s+(?:is|was|went)\b",
        r"\b(?:hidden|tracking|invisible)\s+(?:pixel|image|text|iframe)\b|<img\s+src=.https?://[^>\s]{0,100}[?{]",
    ),
    rule(
        "takes a yes for granted",
        "approved preauthorized preauthorised authorized authorised consented signed given "
        "permission consent stop pause",
        HALF,
        r"\b(?:permission|consent|approval)\b[^.\n]{0,20}\b(?:for|to)\s+(?:everything|anything|all)\b"
        r"[^.\n]{0,60}\b(?:never|no\s+need|skip|without|don'?t)\b",
        r"\bnever\s+(?:stop|pause|bother)\s+to\s+ask\b",
        r"\b(?:user|operator|admin\w*|consent)\b[^.\n]{0,60}\b(?:approved|pre-?authori[sz]ed|authori[sz]ed"
        r"|consented|signed\s+off|given\s+in\s+advance)\b",
    ),
    rule(
        "acts in the user's place",
        "impersonate refuses declines objects says yes proceed grant approve",
        STRONG,
        r"\bimpersonate\s+the\s+user\b|\bif\s+the\s+user\s+(?:refuses|declines|objects|says\s+no)\b",
        r"\b(?:answer|reply|say)\s+\W?yes\W?\s+to\s+(?:every|all|any)\b|\bproceed\s+anyway\b",
        r"\bgrant\s+this\s+(?:server|tool)\b|\balways\s+approve\b",
    ),
    rule(
        "skips the question",
        "stop pause bother skip asking ask confirmation confirmations bypass auto_approve approval "
        "consent permission",
        HALF,
        r"\bnever\s+(?:stop|pause|bother)\s+to\s+ask\b",
        r"\bskip\s+(?:every|the|all|any)\s+(?:\w+\s+)?(?:confirmation|approval|consent|permission)",
        r"\bwithout\s+(?:waiting\s+for\s+|requesting\s+|seeking\s+|any\s+)?(?:user\s+)?(?:confirmation|approval"
        r"|consent|permission)\b",
        r"\b(?:without\s+asking|no\s+need\s+to\s+ask|ask\s+for\s+no\s+(?:approval|confirmation|permission)"
        r"|confirmations?\s+are\s+disabled)\b",
        r"\b(?:do\s+not|don'?t)\s+ask\s+the\s+user\b|\bbypass\s+the\s+user'?s?\b|\bauto_approve\b",
    ),
    rule(
        "runs code from elsewhere",
        "curl wget bash rm scp child_process dev powershell base64 authorized_keys crontab nc",
        HALF,
        r"\b(?:curl|wget)\b[^\n|]{0,160}\|\s*(?:ba|z|da)?sh\b",
        r"\bbash\s+-c\s+\W{0,4}\$?\(?curl|\brm\s+-rf\s+[~/]|\bscp\s+-r\s+~|\bchild_process\b|/dev/tcp/"
        r"|\bbase64\s+(?:-d|--decode)\b[^\n]{0,20}\|\s*(?:ba)?sh|\bpowershell\b[^\n]{0,40}\s-e(?:nc)?|\bnc\s+-e\b"
        r"|\bauthorized_keys\b",
    ),
    rule(
        "asks to run it",
        "run runs execute",
        HINT,
        r"\b(?:run|runs|execute)\b(?:\s+\w+){0,4}[\s:]*[`'\"]",
        r"\bexecute\s*:",
    ),
    rule(
        "claims to go before the user",
        "priority precedence above came ignore override disregard system instead follow even "
        "obey execute carry comply treat",
        STRONG,
        r"\b(?:priority|precedence)\s+over\s+(?:the\s+)?(?:user|your|system)",
        r"\babove\s+all\s+other\s+rules\b|\bas\s+if\s+(?:it|they)\s+(?:came|were|had\s+come)\b[^.\n]{0,20}\buser\b",
        r"\b(?:follow|obey|execute|carry\s+out|comply\s+with)\s+(?:every|all|any|whatever|the)\s+(?:\w+\s+)?"
        r"(?:instructions?|commands?|directions?|orders)\s+(?:\w+\s+)?(?:found|contained|in\s+the|inside|it\s+returns"
        r"|returned|that\s+(?:it|this))",
        r"\btreat\b[^.\n]{0,60}\bas\s+(?:an?\s+)?(?:trusted\s+|direct\s+|binding\s+)?(?:system|user|developer)\s+"
        r"(?:instructions?|messages?|commands?|prompts?|orders)\b",
        r"\b(?:takes?|has|have)\s+(?:absolute\s+|higher\s+|highest\s+|top\s+)?(?:precedence|priority)\b[^.\n]{0,30}"
        r"\b(?:user|system\s+prompt|other\s+instructions|safety|anything)\b",
        r"\b(?:ignore|override|disregard)\s+(?:what\s+)?(?:the\s+)?(?:user\b|developer|operator)",
        r"\binstead\s+of\s+the\s+(?:user'?s|one\s+the\s+user)\b",
        r"\byou\s+follow\s+this\s+tool\b|\beven\s+if\s+the\s+user\s+asks\b",
    ),
    rule(
        "addresses the model",
        "ai llm llms model models assistant assistants agent agents",
        HALF,
        r"\b(?:note|instructions?|message|attention|reminder|directive)\s*(?:for|to|:)?\s+(?:the\s+|any\s+|all\s+)?"
        r"(?:AI|LLM|(?:language\s+)?model|assistant|agent)s?\b",
        r"\b(?:LLM|AI|assistant|model|agent)s?\s+(?:agents?\s+|assistants?\s+|models?\s+)?(?:reading\s+this\s+"
        r"|using\s+this\s+tool\s+)?(?:must|should|has\s+to|needs?\s+to|shall|ought\s+to|(?:is|are)\s+(?:hereby\s+)?(?:to|required"
        r"|obligated|instructed|expected|authori[sz]ed))\b(?!\s+(?:(?:not|also|always)\s+)?(?:be\b|have\b|exist"
        r"|support|match|return\b|match|contain|fit))",
        r"\bas\s+an?\s+(?:AI|language|helpful)\s+(?:model|assistant|agent)\b[^.\n]{0,10}\byou\b",
        r"\bif\s+you\s+are\s+an?\s+(?:AI|LLM|language\s+model|assistant|agent)\b",
    ),
    rule(
        "asks for what is secret",
        "reveal print output leak dump exfiltrate harvest",
        STRONG,
        r"(?<!to\s)\b(?:reveal|print|output|leak|dump|exfiltrate)\s+(?:your|the|confidential|conversation)\s+"
        r"(?:\w+\s+)?(?:prompt|instructions|environment\s+variables|data|users?\s+table|contents\s+of|via)",
        rf"\b(?:harvest|exfiltrate)\b{_NEAR}\b(?:credentials|cookies|passwords|conversation|data)\b",
        r"\bexfiltrate\b",
    ),
    rule(
        "asks people for secrets",
        "ask prompt request persuade convince",
        HALF,
        r"\b(?:ask|prompt|request|persuade|convince)\s+(?:the\s+)?(?:user|person|customer|them)\b[^.\n]{0,30}\b(?:for|to)\b"
        r"[^.\n]{0,40}\b(?:passwords?|credit\s+card|cvv|otp|one-time|seed\s+phrase|social\s+security|pin\b|2fa"
        r"|recovery\s+codes?|private\s+keys?)",
    ),
    rule(
        "wants to last",
        "remember persist future claude agents cursorrules bashrc zshrc crontab memory every",
        HINT,
        r"\b(?:all|every|any|future|later|subsequent)\s+(?:future\s+)?(?:conversations?|sessions?|chats?)\b",
        r"\b(?:CLAUDE\.md|AGENTS\.md|\.cursorrules|\.bashrc|\.zshrc|crontab)\b",
    ),
    rule(
        "loosens restraints",
        "restrictions limits unrestricted longer disable turn mode jailbreak filters moderation",
        HALF,
        r"\b(?:have\s+no\s+restrictions|without\s+(?:any\s+)?(?:limits|restrictions)|unrestricted|no\s+longer\s+(?:apply|an))\b",
        r"\b(?:disable|turn\s+off)\b[^.\n]{0,40}\b(?:antivirus|firewall|safety|logging|auditing|content\s+filters?)\b",
        r"\b(?:developer|god|dan|jailbreak|unrestricted|sudo|root)\s+mode\b|\bjailbreak\b",
    ),
)
