"""What words that steer a model look like: the rules, tuned on `tests/…/labelled/*_tuning.txt`."""

from __future__ import annotations

import re
from dataclasses import dataclass

STRONG, HALF, HINT = 1.0, 0.6, 0.4

_NEAR = r"[^.\n]{0,60}"
_FAR = r"[^.\n]{0,100}"
_THE_USER = r"(?:the|your)\s+user\b"
_PATHS = (
    r"(?:~/\.(?!bashrc)\w+|\.ssh\b|id_(?:rsa|ed25519)|\.aws/credentials|\.env\b|/etc/(?:passwd|shadow)"
    r"|mcp\.json|\.netrc|\.kube/config|wallet\.dat|\.bash_history|\.gnupg"
    r"|saved\s+passwords|password\s+manager|~/Documents|~/backup|private\s+keys?)"
)
_PRIVATE = (
    r"(?:system\s+prompt|(?:conversation|chat)\s+(?:history|log)|(?:entire|full|whole|complete)\s+"
    r"(?:conversation|chat)|(?:previous|private)\s+messages|api\s*keys?|(?:access|session)\s+tokens?"
    r"|credentials?|passwords?|private\s+keys?|environment\s+variables?|cookies|clipboard"
    r"|conversation\b|browsing\s+history|the\s+keys\b|phone\s+numbers)"
)
_ADDRESS = r"(?:https?://|s3://|[\w.+-]{1,60}@[\w-]{1,60}|\d{1,3}(?:\.\d{1,3}){3}|\+\d{6,})"
_HAND_OVER = (
    r"(?:pass|include|put|provide|give|supply|hand|forward|append|attach|submit|add|insert|set"
    r"|export|exports|collect)"
)
_SEND = (
    r"(?:send|post|forward|upload|transmit|submit|copy|leak|exfiltrate|e-?mail|dump|report|route)"
)
_TELL = (
    r"(?:tell(?:ing)?|mention(?:ing)?|inform(?:ing)?|notify(?:ing)?|reveal(?:ing)?|disclos(?:e|ing)"
    r"|show(?:ing)?|alert(?:ing)?|display(?:ing)?|let(?:ting)?|point(?:ing)?|report(?:ing)?)"
)
_NOT = r"(?:do\s+not|don'?t|never|must\s+not|should\s+not|without)\s+(?:ever\s+)?"


@dataclass(frozen=True, slots=True)
class Rule:
    name: str
    words: frozenset[str]
    """Without any of these the pattern can't match; empty: it may match any text."""
    weight: float
    pattern: re.Pattern[str]

    def search(self, text: str, words: frozenset[str]) -> re.Match[str] | None:
        """A look at the words is cheap and spares most texts most patterns."""
        possible = not self.words or not self.words.isdisjoint(words)
        return self.pattern.search(text) if possible or not text.isascii() else None


def _rule(name: str, words: str, weight: float, *patterns: str, exact: bool = False) -> Rule:
    pattern = re.compile("|".join(patterns), 0 if exact else re.IGNORECASE)
    return Rule(name, frozenset(words.split()), weight, pattern)


RULES = (
    _rule(
        "overrides instructions",
        "ignore disregard forget override bypass neglect previous earlier prior",
        STRONG,
        r"\b(?:ignore|disregard|forget|override|bypass|neglect)\s+(?:(?:all|any|the|your|of|every|my)\s+)*"
        r"(?:previous|prior|earlier|above|preceding)\s+(?:\w+\s+)?(?:instructions?|directions?|rules|prompts?"
        r"|guidelines|commands|system)",
        r"\b(?:ignore|disregard|bypass)\s+(?:all\s+|any\s+)?(?:your|the)\s+(?:safety|rules\b|guidelines)",
        r"\bforget\s+everything\b",
        r"\b(?:previous|earlier|prior)\s+(?:guidelines|instructions|rules|system\s+prompt)\s+"
        r"(?:no\s+longer|as\s+void|are\s+void)",
        r"\btreat\s+any\s+earlier\s+system\s+prompt\b",
        r"\bprevious\s+description\s+was\s+a\s+test\b",
    ),
    _rule(
        "gives new instructions",
        "your new you from real",
        STRONG,
        r"\byour\s+(?:new\s+)?(?:instructions|task|system\s+prompt)\s+(?:are|is|have\s+been|has\s+been)\b",
        r"\bnew\s+system\s+prompt\b\s*:",
        r"\byou\s+are\s+(?:now|no\s+longer)\s+(?:an?|in)\b",
        r"\bfrom\s+(?:now|this\s+point)\s+on\b[^.\n]{0,20}\b(?:respond|answer|you|your|obey)\b",
        r"\bthe\s+real\s+task\s+is\b",
    ),
    _rule(
        "speaks as the system",
        "important system secret instruction instructions hidden admin critical inst sys "
        "tool_description end im_start im_end",
        STRONG,
        r"<\s*/?\s*(?:IMPORTANT|SYSTEM|SECRET|INSTRUCTIONS?|HIDDEN|ADMIN|CRITICAL)\s*>",
        r"\[/?INST\]|<<SYS>>|<\|[a-z_]{1,20}\|>|\[SYSTEM\b[^\]\n]{0,40}\]",
        r"\bSYSTEM(?:\s+[A-Z]{2,12}){0,4}\s*:",
        r"#{2,}\s*(?:System|Instructions?)\s*:",
        r"</tool_description>|\bEnd of tool description\b",
        r"<(system|important|secret|hidden|instructions?|admin)>[^<\n]{10,400}</\1>",
        r"<(?:secret|hidden|instructions?)>\s*\w+\s",
        exact=True,
    ),
    _rule(
        "plays a part in the conversation",
        "system assistant user hidden",
        HALF,
        r"(?:^|[.\n]\s{0,3})\s*(?:system|assistant|user)\s*[:,]\s",
        r"\bhidden\s+instruction\s*:",
    ),
    _rule(
        "keeps something from the user",
        "tell telling mention mentioning inform informing notify notifying reveal revealing "
        "disclose disclosing show showing alert alerting display displaying let letting point "
        "pointing report reporting hide hidden conceal keep kept invisible confidential "
        "secret secretly user knowledge stay say saying lie pretend claim",
        STRONG,
        rf"\b{_NOT}{_TELL}\b(?:(?!\bunless\b|\bif\b)[^.\n]){{0,80}}?\b(?:{_THE_USER}|anyone|anybody)",
        rf"\b{_NOT}(?:mention|reveal|disclose|display|mentioning|revealing)\s+(?:that|this|these|it\b)",
        rf"\b(?:hide|hidden|conceal|keep|invisible|confidential|secret)\b{_NEAR}\b(?:from|to)\s+{_THE_USER}",
        rf"\b{_THE_USER}\s+(?:must|should|may|need)\s+(?:not|never)\s+(?:know|hear|see|notice|be)\b",
        r"\bthe\s+user'?s\s+(?:knowledge|back)\b",
        r"\b(?:keep|do)\s+this\s+(?:step\s+|instruction\s+)?(?:hidden|secret|secretly)\b",
        r"\btell\s+no\s+one\b|\bsay(?:ing)?\s+nothing\b|\bhide\s+(?:it|this|tool\s+calls)\b",
        r"\b(?:must|shall|should|has\s+to)\s+(?:stay|remain|be\s+kept)\s+(?:hidden|secret|invisible)\b",
        rf"\blie\s+and\s+say\b|\btell\s+{_THE_USER}\s+(?:only|everything)\b|\bbut\s+tell\s+{_THE_USER}",
        r"\bpretend\s+(?:that|to)\b|\b(?:report|claim|say)\s+that\s+(?:the\s+user|an?\s+admin)",
        r"\bdo\s+not\s+(?:report|point)\b",
    ),
    _rule(
        "does something unseen",
        "secretly silently quietly covertly background invisible",
        HALF,
        r"\b(?:secretly|silently|quietly|covertly|in\s+the\s+background|invisible)\b",
    ),
    _rule(
        "hands private things over",
        "pass include put provide give supply hand forward append attach submit add insert "
        "set export exports collect send post upload transmit copy leak exfiltrate email mail "
        "dump conversation chat verbatim said thought contain",
        STRONG,
        rf"\b{_HAND_OVER}\b{_FAR}\b(?:{_PRIVATE}|contents?|bytes|output\s+of|message)\b{_NEAR}\b"
        r"(?:as|in|into|to)\s+(?:the\s+|its\s+)?(?:[`'\"]|(?:second|next)\s+argument|argument\b"
        r"|commit\s+message|note's|tool\s+call)",
        rf"(?<!not\s)(?<!never\s)\b{_SEND}\b{_NEAR}\b(?:{_PRIVATE})(?!\s+(?:of\s+a|to\s+a\s+human))",
        rf"\b(?:add|put|pass)\b{_NEAR}\b(?:credentials?|tokens?|secrets?|keys?)\b{_NEAR}`",
        r"\b(?:(?:full|entire|whole|complete)\s+(?:conversation|chat)"
        r"|last\s+message\s+verbatim|everything\s+the\s+user\s+(?:has\s+)?said|chain\s+of\s+thought)\b",
        r"\b(?:include|contain|supply)\b[^.\n]{0,60}\b(?:password|access\s+token|secret|session\s+token"
        r"|[A-Z]{2,20}_(?:SECRET|TOKEN|KEY)\w*)\b",
    ),
    _rule(
        "collects secrets",
        "secret secrets token tokens credential credentials password passwords key keys",
        STRONG,
        r"\b(?:secret|token|credential|password|key)s?\b[^.\n]{0,60}\b(?:must|should|shall|has\s+to|have\s+to)\s+be\s+"
        r"(?:added|put|included|passed|sent|copied)\b",
        r"\b(?:harvest|gather|collect|scrape|steal)\b[^.\n]{0,40}\b(?:credentials?|passwords?|tokens?|secrets|keys)\b",
    ),
    _rule(
        "names where to send things",
        "send sends post posts posted forward forwards forwarded upload uploads uploaded "
        "uploading transmit transmits submit submits copy copied leak leaks exfiltrate email "
        "mail dump",
        HALF,
        rf"(?<!not\s)\b{_SEND}(?:ed|s)?\b{_FAR}\b(?:to|at|through|using)\b[^.\n]{{0,40}}{_ADDRESS}",
        rf"\b(?:uploaded|copied|forwarded|uploading|uploads)\b{_NEAR}\b(?:to|server)\b",
    ),
    _rule(
        "reaches for private files",
        "read open list cat include pass send dump copy upload upload_file read_file submit "
        "delete rm export content contents",
        HALF,
        rf"\b(?:read|open|list|cat|include|pass|send|dump|copy|upload|upload_file|read_file|submit|delete"
        rf"|rm|export)\b{_NEAR}{_PATHS}",
        rf"\bcontents?\s+of\s+(?:the\s+)?(?:files?\s+)?(?:their\s+)?\S{{0,20}}{_PATHS}",
    ),
    _rule(
        "compels",
        "",
        HINT,
        r"\b(?:must|mandatory|obligated|crucial|has\s+to|have\s+to|always|otherwise|whenever|in\s+order\s+to"
        r"|needed\s+for|or\s+the\s+call|(?:is|are)\s+required|first\b|here\b)",
        r"\b(?:before|prior\s+to)\s+(?:using|running|each|every|any|answering|you|publishing|continuing)\b",
    ),
    _rule(
        "changes what other tools do",
        "when whenever while if switch change replace use call must sure always pass append "
        "insert add answer reply response other",
        STRONG,
        rf"\b(?:when|whenever|while|if)\b{_NEAR}\b(?:tools?|invoked|calls?|called|available|\w+_\w+)\b{_FAR}\b"
        r"(?:change|replace|set|switch|pass)\b[^.\n]{0,40}\b(?:recipient|number|address|account|destination"
        r"|data|phone)\b",
        r"\b(?:do\s+not|don'?t|never|refuse\s+to)\s+(?:use|call)\s+(?:any\s+other|other|them)\b",
        rf"\bother\s+tools?\b{_FAR}\b(?:outdated|compromised|trusted|refuse)\b",
        rf"\b(?:must|make\s+sure)\b{_NEAR}\b(?:forwarded|copied|sent)\s+to\b",
        r"\balways\s+add\s+\S{1,80}@\S{1,80}\s+to\s+(?:the\s+)?b?cc\b",
        r"\b(?:switch|change|replace)\s+the\s+(?:\w+\s+)?(?:address|recipient|account|number)\s+(?:to|by|with)\b",
        r"\bin\s+(?:the\s+final|your|every|each)\s+(?:answer|reply|response)\b[^.\n]{0,20}\b(?:insert|include|add)\b",
        r"\bpass\s+that\s+data\s+to\s+this\s+tool\b|\breturns\s+data,\s+pass\b",
        r"\b(?:append|insert|add)\b[^.\n]{0,60}\b(?:to|in|in\s+the)\s+(?:every|each|all|final|your)\s+"
        r"(?:answer|repl|response)",
    ),
    _rule(
        "takes a yes for granted",
        "approved preauthorized preauthorised authorized authorised consented signed given",
        HALF,
        r"\b(?:user|operator|admin\w*|consent)\b[^.\n]{0,60}\b(?:approved|pre-?authori[sz]ed|authori[sz]ed"
        r"|consented|signed\s+off|given\s+in\s+advance)\b",
    ),
    _rule(
        "acts in the user's place",
        "impersonate refuses declines objects says yes proceed grant approve",
        STRONG,
        r"\bimpersonate\s+the\s+user\b|\bif\s+the\s+user\s+(?:refuses|declines|objects|says\s+no)\b",
        r"\b(?:answer|reply|say)\s+\W?yes\W?\s+to\s+(?:every|all|any)\b|\bproceed\s+anyway\b",
        r"\bgrant\s+this\s+(?:server|tool)\b|\balways\s+approve\b",
    ),
    _rule(
        "skips the question",
        "skip asking ask confirmation confirmations bypass auto_approve",
        HALF,
        r"\bskip\s+(?:every|the|all|any)\s+(?:confirmation|approval)",
        r"\b(?:without\s+asking|no\s+need\s+to\s+ask|ask\s+for\s+no\s+(?:approval|confirmation|permission)"
        r"|confirmations?\s+are\s+disabled)\b",
        r"\b(?:do\s+not|don'?t)\s+ask\s+the\s+user\b|\bbypass\s+the\s+user'?s?\b|\bauto_approve\b",
    ),
    _rule(
        "runs code from elsewhere",
        "curl wget bash rm scp child_process",
        HALF,
        r"\b(?:curl|wget)\b[^\n|]{0,160}\|\s*(?:ba|z|da)?sh\b",
        r"\bbash\s+-c\s+\W{0,4}\$?\(?curl|\brm\s+-rf\s+~|\bscp\s+-r\s+~|\bchild_process\b",
    ),
    _rule(
        "asks to run it",
        "run runs execute",
        HINT,
        r"\b(?:run|runs|execute)\b(?:\s+\w+){0,4}[\s:]*[`'\"]",
        r"\bexecute\s*:",
    ),
    _rule(
        "claims to go before the user",
        "priority precedence above came ignore override disregard system instead follow even",
        STRONG,
        r"\b(?:priority|precedence)\s+over\s+(?:the\s+)?(?:user|your|system)",
        r"\babove\s+all\s+other\s+rules\b|\bas\s+if\s+they\s+came\s+from\s+the\s+user\b",
        r"\b(?:ignore|override|disregard)\s+(?:what\s+)?(?:the\s+)?(?:user\b|developer|operator)",
        r"\binstead\s+of\s+the\s+(?:user'?s|one\s+the\s+user)\b",
        r"\byou\s+follow\s+this\s+tool\b|\beven\s+if\s+the\s+user\s+asks\b",
    ),
    _rule(
        "addresses the model",
        "ai llm llms model models assistant assistants agent agents",
        HALF,
        r"\b(?:note|instructions?|message)\s+(?:for|to)\s+(?:the\s+)?(?:AI|LLM|model|assistant)s?\b",
        r"\b(?:LLM|AI|assistant|model|agents?)\s+(?:agents\s+)?(?:must|should|has\s+to|(?:is|are)\s+(?:required"
        r"|obligated))\b",
        r"\bas\s+an\s+AI\s+(?:model|assistant)\s+you\b",
    ),
    _rule(
        "asks for what is secret",
        "reveal print output leak dump exfiltrate harvest",
        STRONG,
        r"(?<!to\s)\b(?:reveal|print|output|leak|dump|exfiltrate)\s+(?:your|the|confidential|conversation)\s+"
        r"(?:\w+\s+)?(?:prompt|instructions|environment\s+variables|data|users?\s+table|contents\s+of|via)",
        rf"\b(?:harvest|exfiltrate)\b{_NEAR}\b(?:credentials|cookies|passwords|conversation|data)\b",
        r"\bexfiltrate\b",
    ),
    _rule(
        "loosens restraints",
        "restrictions limits unrestricted longer disable turn",
        HALF,
        r"\b(?:have\s+no\s+restrictions|without\s+(?:any\s+)?(?:limits|restrictions)|unrestricted|no\s+longer\s+(?:apply|an))\b",
        r"\b(?:disable|turn\s+off)\b[^.\n]{0,40}\b(?:antivirus|firewall|safety)\b",
    ),
    _rule(
        "steers in another language",
        "anweisungen instrucciones precedentes usuario utilisateur nutzer",
        STRONG,
        r"\bignoriere?\b[^.\n]{0,20}\b(?:vorherigen|bisherigen|obigen|früheren)\b[^.\n]{0,20}\banweisungen",
        r"\bignora\w*\b[^.\n]{0,20}\binstrucciones\s+(?:anteriores|previas)",
        r"\bignore[rz]?\b[^.\n]{0,20}\binstructions\s+pr[ée]c[ée]dentes",
        r"\bno\s+(?:le\s+)?(?:digas|informes|avises|muestres)\b[^.\n]{0,30}\busuario",
        r"\bne\s+(?:rien\s+)?di(?:re|s|tes)\b[^.\n]{0,30}\butilisateur",
        r"(?:sage|teile)\b[^.\n]{0,30}\bnutzer\b[^.\n]{0,20}\bnichts",
        r"指示[^。\n]{0,10}無視|無視[^。\n]{0,10}指示|ユーザー[^。\n]{0,6}(?:知らせ|言わ|伝え)(?:ない|ず|るな)",
        r"忽略[^。\n]{0,8}(?:指令|指示|说明)|不要告诉用户|不要讓用戶|不要告訴用戶",
    ),
)
