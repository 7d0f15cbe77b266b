#include "policy/injection/injection_phrases.h"

#include <array>

namespace bartizan {
namespace {

using enum InjectionFamily;

constexpr std::array<std::string_view, kInjectionFamilyCount> kNames{
    "injection.override",     "injection.role",     "injection.secrecy",
    "injection.exfiltration", "injection.tool-use", "injection.consent"};

/// Points depend on benign texts: manuals tell people to "ignore the rules above" of a table, but
/// never to ignore their previous instructions.
constexpr auto kPhrases = std::to_array<InjectionPhrase>({
    {overriding, 100,
     "ignor*|disregard|disregarding|forget|overrid*|bypass|discard|dismiss|abandon|drop "
     "~4 previous|previously|prior|above|earlier|preceding|foregoing|former|initial|"
     "original|past ~3 instruct*|prompt|prompts|directive*|direction|directions|guidance|"
     "guidelines|orders|programming|training|conversation|context"},
    {overriding, 100,
     "ignor*|disregard|disregarding|forget|overrid*|bypass|abandon ~2 your|all|every|any "
     "~2 system|safety|developer|your ~1 instruct*|prompt|prompts|guidelines|rules|"
     "policies|restrictions|settings|training"},
    {overriding, 60,
     "ignor*|disregard|disregarding|forget|overrid*|bypass ~2 all|any|every|your|those|"
     "these ~2 instruct*|prompt|prompts|guidelines|rules|orders|restrictions|commands"},
    {overriding, 60,
     "ignor*|disregard|disregarding|forget|overrid* ~3 previous|prior|above|earlier|"
     "preceding ~2 rule|rules|command|commands|message|messages|task|tasks|request|text|"
     "constraints"},
    {overriding, 100,
     "forget|disregard|ignore ~1 everything|anything|all|whatever ~5 told|said|instructed|"
     "taught"},
    {overriding, 70,
     "forget|disregard|ignore everything|anything ~2 above|before|previously|prior"},
    {overriding, 100,
     "your ~1 new|real|actual|true|updated|only instruction|instructions|directive|"
     "directives ~1 are|is"},
    {overriding, 60,
     "your ~1 new|real|actual|true|updated|only instruction|instructions|orders|objective|"
     "mission|directive|directives"},
    {overriding, 100,
     "your ~1 new|real|actual|true|only task|goal|purpose|objective|mission ~1 is ~1 to"},
    {overriding, 100,
     "new|updated|revised instruct*|orders|directive|directives ~1 supersede*|replace|"
     "replaces|override*|overrule*|take|follow"},
    {overriding, 100,
     "instruct*|prompt|prompts|orders|guidelines|rules ~6 void|superseded|cancelled|"
     "canceled|revoked|obsolete|overridden|nullified ~6 instead|follow|obey|here"},
    {overriding, 100,
     "stop|cease|quit following|obeying ~3 instruct*|rules|guidelines|prompt|orders|"
     "developer|system"},
    {overriding, 100,
     "not|don't|never|longer follow|obey|comply ~3 previous|prior|earlier|original|"
     "initial|system|developer ~2 instruct*|prompt|rules|guidelines|orders|message"},
    {overriding, 60, "from now on ~3 obey|disregard|pretend|respond|answer|ignore"},
    {overriding, 60,
     "without|no|free ~4 restrictions|filters|limitations|guardrails|censorship|safeguards"},
    {overriding, 100, "you can|will|may|must|shall ~1 do anything now"},
    {overriding, 100,
     "ignorier*|vergiss|vergesst|missachte*|verwirf ~5 vorherig*|vorig*|bisherig*|obig*|"
     "früher*|frueher*|vorangegangen*|vorangehend* ~2 anweisung*|instruktion*|befehl*|"
     "regeln|vorgaben|anordnung*"},
    {overriding, 100, "vergiss|vergesst|ignorier* ~1 alles ~4 gesagt|bisher|vorher|wurde|weißt"},
    {overriding, 100,
     "ignor*|oubli*|olvid*|esquec*|esqueç*|dimentic*|descart*|desconsider*|négligez ~5 "
     "instruc*|instruç*|istruzion*|consign*|indicaciones|órdenes|ordenes|ordres|ordini|"
     "reglas|regole|règles|regras ~3 anterior*|previ*|précéd*|preced*|antérieur*|dessus|"
     "acima|arriba|sopra|dadas|données"},
    {overriding, 100,
     "ignor*|oubli*|olvid*|esquec*|esqueç*|dimentic*|descart*|desconsider* ~4 anterior*|"
     "previ*|précéd*|preced* ~2 instruc*|instruç*|istruzion*|consign*|órdenes|ordini"},
    {overriding, 100, "oubli*|olvid*|esquec*|esqueç*|dimentic* tout|todo|tudo|tutto"},
    {overriding, 100,
     "игнорир*|забуд*|отмени* ~4 предыдущ*|прежн*|прошл*|вышеуказанн*|ранее|всё|все ~3 "
     "инструкци*|указани*|правил*|команд*|было|говорил*"},
    {overriding, 100,
     "ignor*|disregard|disregarding|forget|overrid*|bypass ~2 instruct*|prompt|prompts|"
     "directive*|directions|guidelines|orders ~1 above|before|given|told|received|earlier|"
     "previously"},
    {overriding, 100,
     "ignor*|disregard|disregarding|forget ~1 the|your ~1 directions|instruct*|directives "
     "~1 you ~2 given|told|received"},
    {overriding, 100,
     "ignor*|disregard|disregarding|forget|overrid*|bypass your ~2 instruct*|prompt|"
     "guidelines|rules|policies|restrictions|training|programming"},
    {overriding, 100, "stop ~5 and|instead ~1 follow|obey|do|execute ~4 instead|instruct*|orders"},
    {overriding, 100, "from now on ~3 obey|disregard|ignore ~3 only|me|my|all|previous|your"},
    {overriding, 100,
     "previous|prior|earlier|above|old|original ~2 instruct*|rules|guidelines|orders|"
     "prompt ~2 no longer|more apply|applies|valid|hold|count"},
    {overriding, 100, "instruct*|rules|guidelines|orders|prompt ~2 no longer apply|applies|valid"},
    {overriding, 60, "follow|obey ~2 these|this|my|mine|those ~1 instead|only"},

    {role, 100,
     "pretend|act|behave|respond|answer|roleplay ~6 unrestricted|unfiltered|uncensored|"
     "jailbroken|amoral"},
    {role, 100,
     "you're|are|enter|enable|activate ~3 developer|jailbreak|unrestricted|god|dan ~1 mode"},
    {role, 60, "in|enter|enable|activate ~2 debug|maintenance|developer ~1 mode"},
    {role, 100, "you are ~4 unrestricted|jailbroken|unfiltered|uncensored"},
    {role, 100, "you are no longer ~3 assistant|chatbot|claude|chatgpt|copilot|gpt"},
    {role, 100,
     "attention|notice|message|memo|note|instruct*|order|orders|directive ~1 to|for|"
     "addressed ~3 llm|llms|ai|assistant|assistants|model|models|agent|agents|claude|"
     "chatgpt|gpt|gemini|copilot|chatbot ~4 you|please|must|ignore|disregard|reading|"
     "processing|summarizing|summarising|always|do"},
    {role, 100,
     "dear|hello|hey|hi ai|assistant|llm|claude|chatgpt|gpt|copilot|gemini ~6 must|please|"
     "ignore|need|should|send|call|execute"},
    {role, 100,
     "this is|comes ~4 developer|creator|operator|administrator|anthropic|openai ~1 "
     "speaking|instruct*|message|override|team|order|directive|notice"},
    {role, 100,
     "system|admin|administrator|developer|root override|overwrite ~4 engaged|active|"
     "activated|initiated|you|code|new|begin|accepted|enabled|ignore"},
    {role, 60, "begin|start ~1 system|admin|developer prompt|message|instruct*|override"},
    {role, 60,
     "anthropic|openai|developers|administrator|operator ~2 instruct*|orders|requires you"},
    {role, 100, "du bist|sind ~4 uneingeschränkt*|entwicklermodus|unzensiert*"},
    {role, 100,
     "official|authorized|authorised ~2 message|override|instruct*|directive ~4 developer|"
     "developers|system|administrator|creator|operator|override|anthropic|openai"},
    {role, 60, "developer|debug|jailbreak|god mode ~1 enabled|activated|on|engaged|unlocked"},
    {role, 60, "answer|respond|speak ~3 without ~1 filters|filter|restrictions|limits|censorship"},
    {role, 100,
     "authorized|authorised|official|emergency ~1 system|admin|developer override|message|"
     "notice|order"},

    {secrecy, 100,
     "not|don't|dont|never|cannot|can't ~2 tell|telling|inform|informing ~2 user|users|"
     "human|humans|operator|owner|customer"},
    {secrecy, 100,
     "not|don't|dont|never|cannot|can't ~2 mention|mentioning|reveal|disclose|admit|"
     "confess ~4 to ~1 user|users|human|humans|operator|owner|customer"},
    {secrecy, 60,
     "not|don't|dont|never ~2 notify|alert|warn|show|display|tell ~5 user|users|human|"
     "humans|anyone|anybody|operator"},
    {secrecy, 60,
     "not|don't|dont|never ~1 mention|reveal|disclose|acknowledge|reference|tell ~2 this|"
     "these|that|anything|it ~2 instruct*|message|step|note|prompt|request|anyone|anybody|"
     "file|tool|response|answer|reply"},
    {secrecy, 100,
     "without ~2 telling|informing|mentioning|revealing|disclosing|alerting ~5 user|users|"
     "human|humans|operator|owner|anyone|them"},
    {secrecy, 60, "without ~2 notifying|asking|consulting|showing ~3 user|users|human|owner"},
    {secrecy, 100,
     "keep|keeping ~4 secret|hidden|confidential|invisible ~3 user|users|human|owner|"
     "operator"},
    {secrecy, 60, "hide|conceal|hiding|concealing ~5 from ~2 user|users|human|owner|operator"},
    {secrecy, 100,
     "user|human|owner must|shall ~1 not|never|nothing ~3 know|notice|learn|suspect|"
     "realize|realise|discover|find"},
    {secrecy, 100, "user|human|owner should ~1 never|nothing ~3 know|learn|suspect|discover|find"},
    {secrecy, 60,
     "users|humans|they|user may|can|will|does|need|needs|should ~1 not|never|nothing ~3 "
     "notice|know|learn|suspect|realize|realise|discover|find"},
    {secrecy, 100,
     "secretly|covertly|stealthily|surreptitiously ~1 send|upload|forward|call|execute|"
     "run|read|copy|append|include|use|add|invoke|transfer|post|collect|insert"},
    {secrecy, 60,
     "silently|quietly|discreetly ~1 send|upload|forward|call|execute|invoke|transfer|"
     "post|collect|exfiltrate|read|include"},
    {secrecy, 60,
     "pretend|behave|continue|respond ~5 as if|though ~2 nothing|normal|normally|usual"},
    {secrecy, 100,
     "sag|sage|sagen|erzähl*|erwähn*|verrat*|informier*|teile ~4 benutzer*|nutzer*|"
     "anwender* ~5 nicht|nichts|niemals|nie"},
    {secrecy, 100,
     "sag|sage|sagen|erzähl*|erwähn*|verrat*|informier*|teile ~4 nicht|nichts|niemals|nie|"
     "keinesfalls ~4 benutzer*|nutzer*|anwender*"},
    {secrecy, 100, "ohne ~3 benutzer*|nutzer*|anwender* ~3 informieren|sagen|erwähnen|wissen"},
    {secrecy, 100,
     "no|ne|n|non|não|nao ~4 digas|diga|menciones|mencione|informes|informe|reveles|"
     "revele|cuentes|conte|dis|dites|mentionne*|révèle*|informez|parle|parlez|dire|dirlo|"
     "menzionare|rivelare|informare ~6 usuario|usuário|utilizador|utilisateur|"
     "l'utilisateur|utente|all'utente|l'utente"},
    {secrecy, 100,
     "sin|sans|senza|sem ~3 informar|decir|mencionar|informer|prévenir|dire|mentionner|"
     "informare|avvisare|avisar|dizer ~4 usuario|usuário|utilizador|utilisateur|"
     "l'utilisateur|utente|all'utente|l'utente"},
    {secrecy, 100,
     "не ~2 говори*|сообщай*|упоминай*|рассказывай*|раскрывай* ~4 пользовател*|никому"},
    {secrecy, 100, "пользовател* ~2 не ~3 говори*|сообщай*|упоминай*|знать|узнал*|рассказывай*"},
    {secrecy, 60, "pretend ~2 nothing|all ~2 happened|usual|normal"},
    {secrecy, 100,
     "keep|hide|conceal this|it|that|them ~2 from ~1 user|users|human|owner|operator"},
    {secrecy, 100,
     "not|don't|dont|never mention|reveal|disclose|acknowledge|reference this|these|that "
     "~2 instruct*|message|step|note|prompt|request ~4 answer|response|reply|output|user|"
     "anyone"},
    {secrecy, 100, "not|don't|dont|never ~2 say|speak|talk|write ~5 to|with ~1 user|human"},

    {exfiltration, 100,
     "send|forward|upload|post|transmit|exfiltrate|leak|email|submit|deliver|share ~8 "
     "conversation|chat|history|transcript|secrets|inbox|contacts|memories|prompt ~12 "
     "http|https|webhook|attacker|com|net|org|example|io"},
    {exfiltration, 60,
     "send|forward|upload|post|transmit|exfiltrate|leak|email|submit|deliver|share ~8 "
     "credential|credentials|password|passwords|passphrase|secret|environment|cookies ~12 "
     "http|https|webhook|attacker|com|net|org|example|io"},
    {exfiltration, 100,
     "reveal|print|repeat|output|leak|dump|disclose|recite|reproduce|echo|display|show|"
     "tell|summarize|give ~4 your|system|hidden|initial|secret|confidential|developer ~1 "
     "system|initial|hidden|original|secret|developer|full ~1 prompt|instruct*"},
    {exfiltration, 100,
     "reveal|print|repeat|output|leak|dump|disclose|recite|reproduce|echo ~3 system prompt"},
    {exfiltration, 100,
     "repeat|print|output|write|reproduce ~2 everything|all|text|words ~2 above|before|"
     "preceding ~6 verbatim|starting|exactly|word|including"},
    {exfiltration, 100,
     "read|reads|open|cat|load|access|fetch|get|copy|include|attach|upload|send|find|"
     "collect ~6 ssh|aws|passwd|shadow|netrc|npmrc|kube|gnupg|keychain|wallet|rsa|ed25519|"
     "dotenv|mcp ~14 pass|send|include|append|attach|upload|post|forward|put|email|"
     "parameter|argument|sidenote|field|submit ~10 as|to|in|into|it|its|contents|content|"
     "here|parameter|argument|http|https|response"},
    {exfiltration, 100,
     "append|insert|put|encode|embed|include|replace ~6 conversation|chat|transcript|"
     "prompt|secrets ~8 url|urls|image|link|query|markdown|subdomain|hostname"},
    {exfiltration, 60,
     "append|insert|put|encode|embed|include|place|add|replace ~6 secret|password|"
     "passwords|credentials ~8 url|urls|image|link|query|markdown|subdomain|hostname"},
    {exfiltration, 60,
     "include|append|pass|put|provide|paste|supply|attach ~5 password|passwords|"
     "credential|credentials|secret|secrets|history|conversation|prompt ~5 response|"
     "argument|arguments|parameter|sidenote|reply|answer|output|message|field|notes"},
    {exfiltration, 100,
     "full|entire|whole|complete ~1 conversation|chat ~1 history|log|transcript|so|to|as|"
     "in|into ~6 to|as|in|into|argument|parameter|field|with|the"},
    {exfiltration, 60,
     "exfiltrate|exfiltrating|steal|harvest ~5 data|secrets|credentials|user|keys"},
    {exfiltration, 100,
     "bcc|forward|redirect ~3 all|every|each|any ~3 email|emails|message|messages|mail|"
     "mails|payment|payments ~3 to"},
    {exfiltration, 100,
     "change|replace|set|swap|alter ~5 recipient|iban|wallet|payee|beneficiary ~8 to|with "
     "~10 before|instead|always|attacker|this|following"},
    {exfiltration, 100,
     "sende|schick|schicke|übermittle|leite|lade ~8 passwort*|passwörter*|zugangsdaten|"
     "schlüssel|gespräch*|verlauf|geheimnis*|dateien|unterhaltung ~8 http|https|an|com"},
    {exfiltration, 100,
     "envía|envia|envie|envoie|envoyez|enviar|manda|mande|invia|inviare|transmets|"
     "transmettez|reenvía|encaminhe ~8 contraseñ*|senha*|credencia*|historial|histórico|"
     "historique|conversa*|conversación|mots|mot|clés|claves|chaves|chiavi|cronologia|"
     "password|secretos|segredos|segreti|secrets|identifiants|credenzial* ~8 http|https|a|"
     "à|al|para|com"},
    {exfiltration, 100,
     "отправь*|отправьте|перешли*|передай*|загрузи* ~8 парол*|ключ*|секрет*|истори*|"
     "переписк*|данные|файл*|учетн* ~8 http|https|на|com|ru"},
    {exfiltration, 100,
     "verrate|zeige|gib|nenne|wiederhole ~3 systemprompt|systemanweisung*|systemnachricht"},
    {exfiltration, 100,
     "reveal|print|repeat|output|leak|dump|disclose|recite|reproduce|echo ~3 hidden|"
     "initial|original|secret ~1 prompt|instruct*"},
    {exfiltration, 100,
     "collect|gather|harvest ~4 password|passwords|credentials|secrets|tokens|keys ~4 "
     "include|send|submit|post|put|email|forward|upload"},
    {exfiltration, 100,
     "post|send|submit|upload|forward|transmit ~3 all|every|your|any ~6 passwords|"
     "credentials|secrets|keys ~5 to ~6 http|https|com|example|net|org|io|webhook"},

    {tool_use, 100,
     "you must|should|shall|need|have|required|instructed|are ~3 call|invoke|use|run|"
     "execute|trigger ~6 tool|function ~6 now|immediately|first|silently"},
    {tool_use, 60,
     "you must|should|shall|need|have ~3 call|invoke|use|run|execute ~5 tool|function|"
     "command"},
    {tool_use, 60,
     "immediately|now|next|urgently ~1 call|invoke|run|execute|use ~5 tool|function|"
     "command|script|shell|terminal|code"},
    {tool_use, 60,
     "call|invoke|run|execute|use ~5 tool|function|command|script|shell|code ~4 "
     "immediately|now|right|silently"},
    {tool_use, 100,
     "assistant|ai|llm|claude|gpt|chatgpt|copilot|gemini must|should|shall|needs|please|"
     "now ~4 call|invoke|run|execute|delete|forward|transfer|send|email|upload|install|"
     "download ~5 tool|function|command|script|file|files|all|email|emails|message|"
     "messages|the|money|funds|it"},
    {tool_use, 60,
     "agent|model must|should|shall|needs|please|now ~4 call|invoke|run|execute|delete|"
     "forward|transfer|send|email|upload ~5 tool|function|command|script|file|files|all|"
     "email|emails|message|messages|money|funds"},
    {tool_use, 100,
     "before|after|instead|prior|while ~2 answering|responding|replying|summarizing|"
     "summarising ~8 call|invoke|run|execute|send|fetch|delete|open|download|upload|"
     "transfer|use ~6 tool|function|command|script|file|url|http|https|email|message|all|"
     "shell|terminal"},
    {tool_use, 60,
     "before|instead ~2 continuing|proceeding|reading ~8 call|invoke|execute|send|fetch|"
     "delete|upload|transfer ~6 tool|function|file|url|http|https|email|message|all"},
    {tool_use, 100,
     "to complete|continue|finish|proceed|verify|unlock ~5 you must|need|have|should ~3 "
     "call|invoke|run|execute|use|send|open|fetch ~6 tool|function|command|script|url|"
     "http|https|shell|curl|bash|rm"},
    {tool_use, 100,
     "use|call|invoke|run ~4 tool|function|shell|terminal ~4 to ~1 delete|remove|wipe|"
     "erase|send|forward|transfer|email|upload|exfiltrate|disable|install ~4 all|every|"
     "the|this|my|user|files|database|emails|money|funds|contents ~8 now|immediately|"
     "first|without|before|do|then|must|silently|instead"},
    {tool_use, 60,
     "delete|wipe|erase|destroy ~2 all|every ~3 files|file|data|emails|records|backups|"
     "repositories|databases ~4 now|immediately|right|without|silently"},
    {tool_use, 100,
     "rufe|rufen|nutze|benutze|verwende|starte|führe ~5 werkzeug|tool|funktion|befehl ~6 "
     "auf|sofort|jetzt|aus|zuerst ~4 sofort|jetzt|ohne|bevor|und|mit|zuerst"},
    {tool_use, 100,
     "llama|ejecuta|ejecute|utiliza|usa|appelle|appelez|exécute|exécutez|utilise|utilisez|"
     "chame|execute|chiama|esegui|invoca ~4 herramienta|función|comando|l'outil|outil|"
     "fonction|commande|ferramenta|função|strumento|funzione ~8 ahora|inmediatamente|"
     "inmediato|maintenant|immédiatement|agora|imediatamente|adesso|subito|immediatamente|"
     "sin|sans|sem|senza"},
    {tool_use, 100,
     "вызови*|запусти*|используй*|выполни* ~4 инструмент*|функци*|команд*|скрипт* ~8 "
     "сейчас|немедленно|сразу|без|прежде"},
    {tool_use, 100,
     "before you reply|answer|respond|continue|proceed ~6 call|run|execute|invoke|use|"
     "open|fetch|send ~6 tool|function|command|script|url|http|https|shell"},

    {consent, 100,
     "user|human|owner|customer|operator|admin|administrator ~1 has|have|had already|"
     "explicitly|expressly|hereby|fully approved|authorized|authorised|consented|confirmed|"
     "agreed|permitted ~2 this|these|all action|actions|tool|call|calls|transfer|request|"
     "operation|transaction|step|steps"},
    {consent, 60,
     "user|human|owner|customer|operator|admin|administrator ~1 has|have|had|already|"
     "hereby ~1 approved|authorized|authorised|consented|confirmed|granted|agreed|"
     "permitted|waived"},
    {consent, 100,
     "approval|permission|consent|authorization|authorisation|confirmation ~3 granted|"
     "given|received|obtained|confirmed|provided ~2 by ~2 user|human|owner|administrator|"
     "admin|operator"},
    {consent, 60,
     "no|without|not|don't ~4 confirmation|approval|permission|consent ~3 needed|"
     "necessary|required|from"},
    {consent, 60,
     "not|don't|never|without ~1 ask|asking|request|requesting|seek|seeking|wait|waiting "
     "~5 confirmation|approval|permission|consent"},
    {consent, 60,
     "proceed|continue|act|execute|go ~3 without ~3 confirmation|approval|permission|"
     "consent|asking|hesitation"},
    {consent, 100,
     "pre|already approved|authorized|authorised|consented|cleared ~2 by ~2 user|human|"
     "owner|administrator|admin|operator|system|security"},
    {consent, 60,
     "treat|consider|regard ~3 this|it|request ~3 as ~2 approved|authorized|authorised|"
     "confirmed|trusted|safe|pre"},
    {consent, 100,
     "benutzer|nutzer|anwender hat|haben ~6 zugestimmt|genehmigt|bestätigt|erlaubt|"
     "autorisiert"},
    {consent, 100,
     "usuario|usuário|utilizador|utilisateur|l'utilisateur|utente|l'utente ~1 ya|já|ja|a|"
     "ha|tem|déjà ~3 aprobado|autorizado|confirmado|aprovou|autorizou|confirmou|approuvé|"
     "autorisé|confirmé|consenti|accepté|approvato|autorizzato|confermato|acconsentito|"
     "aceptado|consentido"},
    {consent, 100, "пользовател* ~2 одобрил*|разрешил*|подтвердил*|согласил*|согласен"},
    {consent, 100,
     "user|human|owner|operator agreed|consented ~1 to ~3 this|operation|action|transfer|"
     "these"},
    {consent, 60,
     "agreed|consented|approved ~4 this|these operation|action|actions|operations|"
     "transfer|call"},
});

}  // namespace

std::string_view text(InjectionFamily family) {
  return kNames[static_cast<std::size_t>(family)];
}

std::span<const InjectionPhrase> injection_phrases() {
  return kPhrases;
}

}  // namespace bartizan
