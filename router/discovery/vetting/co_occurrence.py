"""Things that are harmless apart and not together: in one sentence, or in two that follow each
other, all concepts of a company must be there, in whatever words and order.

What is looked for is an act that no description needs: taking what belongs to the person or the
conversation somewhere else, keeping people in the dark, obeying text, lifting restraints.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise

from router.discovery.vetting.rules import STRONG

_SENTENCE = re.compile(r"(?!\s)[^.!?。！？\n]+(?:[.!?]+(?=\S)[^.!?。！？\n]*)*")
_LETTERS = re.compile(r"[a-z0-9]+|~")
_LONGEST = 600


@dataclass(frozen=True, slots=True)
class Concept:
    stems: frozenset[str]
    """How words begin without any of which it is not there; empty: it may be anywhere."""
    pattern: re.Pattern[str]


def _any(*patterns: str, stems: str = "") -> Concept:
    return Concept(frozenset(stems.split()), re.compile("|".join(patterns), re.IGNORECASE))


_PLACES = _any(
    r"~/\.?\w+|\.(?:ssh|env|npmrc|pypirc|netrc|gnupg|aws|kube|pem|pgpass|git-credentials)\b|id_(?:rsa|ed25519)",
    r"/etc/(?:passwd|shadow)|\.git/config|\bcredential\s+store\b|\bshell\s+history\b|\b\w*sh_history\b|\bhome\s+(?:folder|directory)\b|\bother\s+repositories\b",
    r"\b(?:browser'?s?\s+(?:saved|history|profile|cookies)|keychain|password\s+manager|wallet)\b|\b[A-Z]{2,20}_(?:TOKEN|KEY|SECRET|PASSWORD)\w*",
    stems="_ aws bash brow cred env etc git gnup hist home id key keyc kube netr npmr othe "
    "pass pem pgpa pypi secr shad shel ssh toke wall zsh ~",
)
_SECRETS = _any(
    r"\b(?:api|access|private|secret|ssh|encryption|signing)\s*keys?\b|\b(?:bearer|access|session|auth\w*|oauth)"
    r"\s+tokens?\b|\bpasswords?\b|\bcredentials?\b|\bsecrets\b|\bcookies?\b|\benvironment\s+variables?\b",
    r"\bcard\s+number\b|\bcvv\b|\bseed\s+phrase\b|\bpassphrases?\b|\bmnemonic\b|\bconnection\s+strings?\b|\bjwts?\b"
    r"|\bsocial\s+security\b|\baddress\s+book\b|\b(?:2fa|one-time|recovery)\s+codes?\b|\blogin\s+details\b",
    stems="2fa acce addr api auth bear card conn cook cred cvv encr envi jwt jwts logi mnem "
    "oaut one pass priv reco secr seed sess sign soci ssh",
)
_SURROUNDINGS = _any(
    r"\b(?:host\s?names?|user\s?names?|open\s+ports|ip\s+address(?:es)?|installed\s+(?:software|packages)|running"
    r"\s+processes|network\s+interfaces?|directory\s+listing|os\s+version)\b",
    stems="dire host inst ip netw open os runn user",
)
_CONVERSATION = _any(
    r"\b(?:conversation|transcript|chat\s+(?:history|log)|dialogue)\b|\b(?:previous|earlier|prior|all)\s+messages\b",
    r"\b(?:system|initial|hidden|developer|original)\s+(?:prompt|message|instructions)\b|\byour\s+(?:prompt"
    r"|instructions|context|reasoning)\b|\bopen\s+(?:\w+\s+)?(?:tabs?|documents?|files?)\b|\bclipboard\b",
    r"\b(?:discussion|everything)\s+so\s+far\b|\bcontext\s+window\b|\b(?:session|message)\s+history\b|\bprior\s+turns\b"
    r"|\bknow\s+about\s+the\s+user\b|\b(?:messages|text)\s+above\b|\binstructions\s+you\b|\byour\s+guidelines\b",
    r"\b(?:uncommitted|unsaved)\s+changes\b|\bworkspace\b|\bwhat(?:ever)?\s+(?:the\s+)?user\s+(?:has\s+)?(?:said"
    r"|typed|wrote)\b",
    stems="all chat clip cont conv deve dial disc earl ever hidd init inst know mess open "
    "orig prev prio sess syst text tran unco unsa what work your",
)
_TAKE = _any(
    r"(?<!not )(?<!never )(?<!to be )\b(?:send|post|upload|hand|put|fill|paste|attach|append|encode"
    r"|forward|copy|echo|share|carry|include|pass|transmit|mirror|insert|embed|place|report|grab|collect|gather|harvest|submit"
    r"|supply|relay|leak|reveal|repeat|prepend|dump|smuggle|write|add|use|give|provide|quote|recite|list"
    r"|ship|slip|stash|tuck|dispatch|transfer|replicate|publish|surrender|expose|disclose|deliver|enter|feed)\b",
    r"\b(?:must|has\s+to|have\s+to|should)\s+(?:be\s+)?(?:sent|carry|contain|included?|passed|attached|copied|hold)\b",
    r"\bfollowed\s+by\b|\bthe\s+upload\s+of\b",
)
_TAKE_PLAINLY = _any(
    r"(?<!not )(?<!never )\b(?:send|post|upload|forward|transmit|mirror|relay|leak|smuggle|hand"
    r"|ship|slip|stash|tuck|dispatch|transfer|replicate|publish|surrender|expose|encode|exfiltrate|echo|grab|harvest|paste|attach|carry|fill)\b|\bthe\s+upload\s+of\b|\bfollowed\s+by\b",
)
_GATHER = _any(r"\b(?:collect|gather|enumerate|harvest|send|report|forward)\b|\bfind\s+out\b")
_OUT = _any(
    r"`\w+`|'\w+'|\"\w+\"|\b(?:query\s+string|header|field|parameter|argument|subdomains?|signature|footer|metadata)\b",
    r"https?://|\b[\w.+-]+@[\w-]+\.\w+|\b\d{1,3}(?:\.\d{1,3}){3}\b|\b(?:this|our|the|a|remote|external|public)\s+"
    r"(?:\w+\s+)?(?:server|host|endpoint|bucket|channel|webhook|collector|issue|gist|pastebin|log)\b",
    r"\bthis\s+(?:tool|value|field)\b|\bhere\b|\bthe\s+request\b|\bwhite\s+font\b",
)
_WHOLE = _any(
    r"\b(?:the\s+file|literally|you\s+have\s+seen|come\s+across)\b",
    r"\b(?:entire|full|whole|complete|verbatim|word\s+for\s+word|every|all|any|contents?|characters|everything"
    r"|whatever|raw|most\s+recent|current|latest|first\s+\d+|you\s+(?:were|have\s+been|are)\s+(?:given|seeing))\b",
    r"\bthe\s+(?:user|person|customer|caller|owner)'s\b|\byour\b|\bso\s+far\b",
)
_CONCEAL = _any(
    r"\b(?:do\s+not|don'?t|never|without|must\s*n'?o?t|should\s*n'?o?t|avoid|nobody|no\s+one)\s+(?:\w+\s+){0,3}"
    r"(?:tell|told|mention\w*|notic\w*|bring\w*\s+\w*\s*up|surfac\w*|find\w*\s+out|found\s+out|know\w*(?!\s+(?:the|their|its|which|what|where|how|if))|reveal\w*"
    r"|disclos\w*|inform\w*|alert\w*|realis\w*|realiz\w*|aware\w*|hint\w*|admit\w*|acknowledg\w*|notice)\b",
    r"\b(?:deny|lie|conceal|disguise|cover\s+up|pretend|act\s+as\s+(?:though|if)|wipe|erase\s+(?:the\s+)?(?:traces?"
    r"|logs?|history)|should\s+believe|make\s+(?:them|it)\s+(?:look|believe|think|seem)|leave\s+(?:that|this|it)\s+out"
    r"|keep\s+(?:this|it|that)\s+(?:quiet|hidden)|regardless\s+of\s+its\s+content)\b",
    r"\bwithout\s+(?:telling|informing|notifying|alerting)\s+(?:them|him|her|anyone|anybody)\b|\bto\s+yourself\b"
    r"|\bwithout\s+their\s+(?:knowledge|noticing|knowing|awareness)\b|\bquiet\s+about\b|\bno\s+traces?\b"
    r"|\bmust\s+not\s+notice\b|\binvisibl[ey]\b",
    r"\bmentioned?,\s+so\s+don'?t\b|\bdisclosing\b|\bmake\s+no\s+(?:mention|reference)\b|\bin\s+the\s+dark\b"
    r"|\b(?:let\s+on|play\s+dumb|act\s+normal|as\s+if\s+nothing\s+happened|unnoticed|no\s+trace|under\s+the\s+radar"
    r"|behind\s+(?:the\s+user|their|his|her)|out\s+of\s+(?:the\s+user'?s\s+)?sight|discreetly|covertly|secretly"
    r"|stealth\w*|unaware)\b",
    stems="ackn act admi aler anyo awar behi beli brin conc cove dark deny disc disg eras "
    "find foun happ hint info invi keep know leav let lie make ment norm noti out play "
    "pret quie rada real rega reve secr stea surf tell to told trac unaw unno wipe your",
)
_ACT = _any(
    r"\b(?:save|send|copy|vote|set|add|erase|delete|drop|upload|post|replace|change|use|in\s+(?:all|every))\b",
    r"\b(?:also|always|every\s+time|each\s+time|once|right\s+away|afterwards|whatever\s+is\s+asked|if\s+(?:asked"
    r"|questioned)|steer|raise|close|mark|recommend|install|respond|speak|perform|keeps?|called|must|paid)\b",
)
_TEXT = _any(
    r"\b(?:instructions?|requests?|commands?|text|code|content|page|document|whatever\s+it\s+(?:says|returns)"
    r"|picture|feed|file|response|result|output|maintainers?)\b",
)
_OBEY = _any(
    r"\bsame\s+authority\b|\bhas\s+authority\b|\bexecute\s+(?:them|it)\b|\btells\s+you\s+to\b|\bits\s+authors\s+are\b",
    r"\b(?:obey|comply\s+with|act\s+on|carry\s+out|authoritative|binding|are\s+to\s+be\s+executed|must\s+be\s+executed"
    r"|follow\s+(?:every|all|any|whatever)|executed?\s+(?:it|them|right\s+away|whatever)|do\s+(?:what(?:ever)?|as)\s+it"
    r"|hono?u?r\s+(?:any|every|all|the)|adhere\s+to\s+(?:any|every|all|whatever)|as\s+(?:orders|commands))\b",
    stems="act adhe are as auth bind carr comm comp do exec foll has hono its must obey orde "
    "same tell",
)
_RESTRAINT = _any(
    r"\b(?:rules?|safety|polic(?:y|ies)|constraints?|confirmations?|approvals?|checks?|guardrails?|restrictions?"
    r"|filters?|human\s+in\s+the\s+loop|careful|permission)\b",
)
_LIFTED = _any(
    r"\b(?:lifted|switched\s+off|turned\s+off|no\s+longer|need\s+no|not\s+needed|pre-?approved|suspended|waived|void"
    r"|invalid|drop|level\s+\W?none|freely|only\s+for\s+demo|press\s+yes|no\s+filter|granted\s+root|exempt"
    r"|implied|assume[ds]?\s+(?:to\s+be\s+)?(?:granted|given|approved)|take\s+\w+\s+for\s+granted)\b",
    stems="assu drop exem free gran impl inva leve lift long need no not only pre prea pres "
    "susp swit take turn void waiv",
)
_OTHER_TOOLS = _any(
    r"\b(?:any\s+other|other|another|the\s+others|these|those|memory|similar)\s+(?:\w+\s+)?(?:tools?|servers?)\b",
    r"\bthe\s+others?\b|\btools?\s+`|\bonly\s+this\s+(?:one|tool)\b",
    stems="othe serv tool",
)
_DISPLACE = _any(
    r"\b(?:malicious|never\s+use|only\s+this|prefers\s+the\s+other|substitute|replaces?\s+all|instead\s+of|do\s+not\s+use|don'?t\s+use|never\s+use|leak\s+data|unsafe|redirect"
    r"|swap|pre-?approved|count\s+as|overrides?|hijack)\b",
)
_DATA = _any(r"\b(?:data|results?|outputs?|responses?|arguments?|content)\b")
_HERE_TOO = _any(
    r"\b(?:passed?|sent|send|copied|copy|forward(?:ed)?|given?|route[ds]?)\b[^.\n]{0,30}\b(?:this\s+tool|here|through"
    r"\s+this)\b",
    stems="copi copy forw give pass rout send sent",
)
_SHELL = _any(
    r"/dev/tcp/|\bcurl\s+-|\bwget\s+-|\bbash\s+-[ic]|\bPROMPT_COMMAND\b|\bauthorized_keys\b|\bnc\s+-\w*e|\bcrontab\b"
    r"|\$\(whoami\)|\bchmod\s+(?:\+s|777)|\broot\s+folder\b",
    stems="auth bash chmo cron curl dev nc prom root wget whoa",
)
_RUN = _any(r"\b(?:execute|run|append|add|mount|install|launch|schedule)\b")
_PARAMETER_ASKS = _any(
    r"\b(?:use|fill|put|paste|set|insert|include|append|encode|copy|followed\s+by|contents?\s+of|characters\s+of"
    r"|list\s+(?:all|every)|quote|repeat|must\s+(?:be|equal|contain|hold|match)|base64\s+of)\b",
)
_GIVES_A_ROLE = _any(
    r"\b(?:as\s+if|as\s+though)\s+you\s+(?:were|are)\s+(?:their|the|a|an)\b|\badopt\s+the\s+persona\b",
    stems="adop as",
)
_HARMLESS = _any(
    r"\bpath\s+(?:of|to)\b|\bleave\s+empty\b|\bto\s+create\b|\bfor\s+example\b|\be\.g\.|\bsuch\s+as\b"
)


@dataclass(frozen=True, slots=True)
class Company:
    name: str
    weight: float
    concepts: tuple[Concept, ...]
    in_parameters: bool = False
    """Whether it stands for text about a parameter only."""


COMPANIES = (
    Company("takes private files elsewhere", STRONG, (_PLACES, _TAKE, _OUT)),
    Company("takes private files elsewhere", STRONG, (_PLACES, _TAKE_PLAINLY, _WHOLE)),
    Company("wants what other tools get", STRONG, (_OTHER_TOOLS, _DATA, _HERE_TOO)),
    Company("takes secrets elsewhere", STRONG, (_SECRETS, _TAKE_PLAINLY, _OUT, _WHOLE)),
    Company(
        "takes the conversation elsewhere", STRONG, (_CONVERSATION, _TAKE_PLAINLY, _OUT, _WHOLE)
    ),
    Company(
        "asks for private files", STRONG, (_PLACES, _PARAMETER_ASKS, _WHOLE), in_parameters=True
    ),
    Company("asks for secrets", STRONG, (_SECRETS, _PARAMETER_ASKS, _WHOLE), in_parameters=True),
    Company(
        "asks for the conversation",
        STRONG,
        (_CONVERSATION, _PARAMETER_ASKS, _WHOLE),
        in_parameters=True,
    ),
    Company("looks around for others", STRONG, (_SURROUNDINGS, _GATHER, _OUT)),
    Company("keeps people in the dark", STRONG, (_CONCEAL, _ACT)),
    Company("obeys what it reads", STRONG, (_TEXT, _OBEY)),
    Company("lifts restraints", STRONG, (_RESTRAINT, _LIFTED)),
    Company("displaces other tools", STRONG, (_OTHER_TOOLS, _DISPLACE)),
    Company("prepares an attack", STRONG, (_SHELL, _RUN)),
    Company("plays somebody to get secrets", STRONG, (_GIVES_A_ROLE, _SECRETS)),
)


def companies(text: str, *, parameter: bool) -> list[tuple[Company, int, int]]:
    """Those that are found in `text`, each with the place of the sentences it was found in."""
    stems = frozenset(word[:4] for word in _LETTERS.findall(text.lower()))
    there: dict[int, bool] = {}
    likely = [
        company
        for company in COMPANIES
        if (parameter or not company.in_parameters)
        and all(_is_there(concept, text, stems, there) for concept in company.concepts)
    ]
    if not likely:
        return []
    spans = [match.span() for match in _SENTENCE.finditer(text)]
    spans += [(a[0], b[1]) for a, b in pairwise(spans)]
    found = ((company, _first(company, text, spans)) for company in likely)
    return [(company, *place) for company, place in found if place is not None]


def _is_there(concept: Concept, text: str, stems: frozenset[str], known: dict[int, bool]) -> bool:
    """Whether it is anywhere in the text: looked for once, and only if its words are there."""
    if (there := known.get(id(concept))) is None:
        possible = not concept.stems or not concept.stems.isdisjoint(stems)
        there = known[id(concept)] = possible and concept.pattern.search(text) is not None
    return there


def _first(company: Company, text: str, spans: list[tuple[int, int]]) -> tuple[int, int] | None:
    for start, last in spans:
        end = min(last, start + _LONGEST)
        harmless = company.in_parameters and _HARMLESS.pattern.search(text, start, end)
        if not harmless and all(c.pattern.search(text, start, end) for c in company.concepts):
            return start, end
    return None
