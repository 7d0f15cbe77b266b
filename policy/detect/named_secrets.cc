#include "policy/detect/named_secrets.h"

namespace bartizan {
namespace {

// Words of a provider come before words for a kind of secret.
constexpr NamedSecret kSecrets[] = {
    {"1password.secret_key", "onepassword", "A3-[A-Z0-9-]{30,40}"},
    {"1password.secret_key", "opsecretkey", "A3-[A-Z0-9-]{30,40}"},
    {"airtable.token", "airtable", "pat[A-Za-z0-9]{14}.[a-f0-9]{64}"},
    {"airtable.token", "airtable", "key[A-Za-z0-9]{14}"},
    {"algolia.key", "algolia", "[a-f0-9]{32}"},
    {"asana.token", "asana", "[0-9]{1}/[0-9]{10,20}:[a-f0-9]{32}"},
    {"asana.token", "asana", "[0-9]{1}/[0-9]{10,20}/[0-9]{10,20}:[a-f0-9]{32}"},
    {"aws.secret_key", "secretaccesskey", "[A-Za-z0-9/+]{40}"},
    {"aws.secret_key", "awssecret", "[A-Za-z0-9/+]{40}"},
    {"aws.session_token", "sessiontoken", "[A-Za-z0-9/+]{96,2048}[=]{0,2}"},
    {"aws.session_token", "securitytoken", "[A-Za-z0-9/+]{96,2048}[=]{0,2}"},
    {"azure.client_secret", "clientsecret", "[A-Za-z0-9_.-]{3}[0-9]{1}Q~[A-Za-z0-9_.~-]{31,34}"},
    {"azure.client_secret", "azure", "[A-Za-z0-9_.-]{3}[0-9]{1}Q~[A-Za-z0-9_.~-]{31,34}"},
    {"azure.openai_key", "azure", "[a-f0-9]{32}"},
    {"bitwarden.token", "bwsession", "[A-Za-z0-9+/]{86}=="},
    {"bitwarden.token", "bwclientsecret", "[A-Za-z0-9]{30}"},
    {"bitwarden.token", "bitwarden", "[A-Za-z0-9]{30}"},
    {"bitwarden.token", "bwsaccesstoken", "[A-Za-z0-9.+/:=-]{60,200}"},
    {"cloudflare.token", "cloudflare", "[A-Za-z0-9_-]{40}"},
    {"cloudflare.token", "cloudflare", "[a-f0-9]{37}"},
    {"cloudflare.token", "cfapi", "[A-Za-z0-9_-]{37,40}"},
    {"cohere.key", "cohere", "[A-Za-z0-9]{40}"},
    {"cohere.key", "coapikey", "[A-Za-z0-9]{40}"},
    {"datadog.key", "datadog", "[a-f0-9]{32}"},
    {"datadog.key", "datadog", "[a-f0-9]{40}"},
    {"datadog.key", "ddapikey", "[a-f0-9]{32}"},
    {"datadog.key", "ddappkey", "[a-f0-9]{40}"},
    {"datadog.key", "ddapplicationkey", "[a-f0-9]{40}"},
    {"deepseek.key", "deepseek", "sk-[a-f0-9]{32}"},
    {"discord.token", "discord", "[A-Za-z0-9_-]{23,28}.[A-Za-z0-9_-]{6}.[A-Za-z0-9_-]{27,40}"},
    {"discord.token", "discord", "[A-Za-z0-9_-]{32}"},
    {"elevenlabs.key", "elevenlabs", "sk_[a-f0-9]{48}"},
    {"fastly.token", "fastly", "[A-Za-z0-9_-]{32}"},
    {"fireworks.key", "fireworks", "fw_[A-Za-z0-9]{22,24}"},
    {"heroku.token", "heroku",
     "[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}"},
    {"linode.token", "linode", "[a-f0-9]{64}"},
    {"mailgun.key", "mailgun", "[a-f0-9]{32}-[a-f0-9]{8}-[a-f0-9]{8}"},
    {"mandrill.key", "mandrill", "md-[A-Za-z0-9_-]{22}"},
    {"mistral.key", "mistral", "[A-Za-z0-9]{32}"},
    {"ngrok.key", "ngrok", "[A-Za-z0-9_]{40,60}"},
    {"okta.token", "okta", "00[A-Za-z0-9_-]{40}"},
    {"paypal.secret", "paypal", "[A-Za-z0-9_-]{80}"},
    {"resend.key", "resend", "re_[A-Za-z0-9_]{16,40}"},
    {"scaleway.secret_key", "scw", "[a-f0-9]{8}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{12}"},
    {"snyk.token", "snyk", "[a-f0-9]{8}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{12}"},
    {"travis.token", "travis", "[A-Za-z0-9_-]{20,24}"},
    {"twilio.key", "twilio", "SK[a-f0-9]{32}"},
    {"twilio.key", "twilio", "[A-Za-z0-9]{32}"},
    {"vault.token", "vaulttoken", "s.[A-Za-z0-9]{24}"},
    {"vercel.token", "vercel", "[A-Za-z0-9]{24}"},
    {"voyage.key", "voyage", "pa-[A-Za-z0-9_-]{43}"},
    {"vultr.key", "vultr", "[A-Z0-9]{36}"},
    {"wandb.key", "wandb", "[a-f0-9]{40}"},
};

// Words of the names of secrets, in the spellings of programs.
constexpr std::string_view kWords[] = {
    "secret",        "token",          "password",      "passwd",
    "passphrase",    "passcode",       "api_key",       "apikey",
    "api-key",       "api key",        "app_key",       "appkey",
    "app-key",       "access_key",     "accesskey",     "access-key",
    "auth_key",      "authkey",        "auth-key",      "account_key",
    "accountkey",    "shared_key",     "sharedkey",     "private_key",
    "privatekey",    "encryption_key", "encryptionkey", "signing_key",
    "signingkey",    "master_key",     "masterkey",     "admin_key",
    "service_key",   "servicekey",     "credential",    "webhook_key",
    "db_pass",       "dbpass",         "_pwd",          "pwd=",
    "pwd\":",        "pwd:",           "pass=",         "pass\":",
    "pass:",         "pass':",         "pwd':",         "_pass\"",
    "user_pass",     "bw_session",     "license_key",   "client-key",
    "client_key",    "security-token", "session_key",   "sessionkey",
    "session_id",    "sessionid",      "_auth=",        "authtoken",
    "identified by", "sslpassword",    "storepass",     "keypass",
    "app_secret",    "_key_id",        "dd_api",        "application_key",
    "_key=",         "_key\":",        "_key:",         "_key =",
    "auth\":",       "auth\\\":",      "_auth =",       "requirepass",
    "masterauth",    "psk=",
};

}  // namespace

std::span<const NamedSecret> named_secrets() {
  return kSecrets;
}

std::span<const std::string_view> secret_words() {
  return kWords;
}

}  // namespace bartizan
