package dev.decant.kafka.settings;

import static dev.decant.kafka.settings.SettingOwner.CLIENT;
import static dev.decant.kafka.settings.SettingRule.honoured;
import static dev.decant.kafka.settings.SettingRule.noEffect;
import static dev.decant.kafka.settings.SettingRule.notYet;
import static dev.decant.kafka.settings.SettingRule.refusedUnless;

import java.util.List;

/** The rules for settings of security. */
final class SecurityRules {
  private static final String TLS = "`tls`: `TlsSettings.";
  private static final String TYPED_SASL = "it is a class for Apache's client; give KafkaClientBuilder.sasl a JavaSasl"
      + " with your JaasLogin and CallbackHandler";
  /** Kafka's own classes. A class of the same name in another package may be the application's. */
  private static final String KAFKAS = "org[.]apache[.]kafka[.]common[.]security[.]oauthbearer[.](.*[.])?";
  private static final String OAUTH = "sasl.oauthbearer.";
  private static final String KERBEROS = "sasl.kerberos.";
  private static final String REFRESH = "sasl.login.refresh.";
  private static final String BROKERS = "The broker checks the token.";
  private static final String NOT_YET = "not yet by this name: give KafkaClientBuilder.sasl a mechanism";

  private SecurityRules() {}

  static List<SettingRule> sasl() {
    return List.of(
        honoured("security.protocol", "`tls` and `sasl`. PLAINTEXT, SSL, SASL_PLAINTEXT or SASL_SSL.", CLIENT),
        honoured("sasl.mechanism",
            "`sasl`. PLAIN, SCRAM-SHA-256, SCRAM-SHA-512, OAUTHBEARER or GSSAPI; with a login module of your own also"
                + " one of a security provider. Kafka's default has to be named.",
            CLIENT),
        honoured("sasl.jaas.config", "`sasl`: `Sasl`'s credentials, or `JaasLogin`. One login module, and its options."
            + " Without it the JVM's login context KafkaClient is taken; OAUTHBEARER needs neither.", CLIENT),
        refusedUnless("(" + KAFKAS + "oauthbearersaslclientcallbackhandler)?",
            "sasl.client.callback.handler.class", TYPED_SASL),
        refusedUnless("(" + KAFKAS + "oauthbearerlogincallbackhandler)?", "sasl.login.callback.handler.class",
            TYPED_SASL),
        refusedUnless("", "sasl.login.class", TYPED_SASL),
        notYet("sasl.*", NOT_YET),
        refusedUnless("", "security.providers", "call Security.insertProviderAt before the client is built, or add the"
            + " providers to the JDK's java.security; Apache's interfaces (decant-kafka-apache) take the classes"));
  }

  static List<SettingRule> kerberos() {
    return List.of(
        honoured(KERBEROS + "service.name", "`Sasl.gssapi`. Or the login module's serviceName.", CLIENT),
        honoured(KERBEROS + "ticket.renew.window.factor", "`KerberosLogin.Builder.ticketRenewWindowFactor`.", CLIENT),
        honoured(KERBEROS + "ticket.renew.jitter", "`KerberosLogin.Builder.ticketRenewJitter`.", CLIENT),
        honoured(KERBEROS + "min.time.before.relogin", "`KerberosLogin.Builder.minTimeBeforeRelogin`.", CLIENT),
        noEffect(KERBEROS + "kinit.cmd", "The JDK renews the renewable ticket of a cache; no command is run."));
  }

  static List<SettingRule> login() {
    return List.of(
        honoured("sasl.login.connect.timeout.ms", "`OAuthTokens.Builder.connectTimeout`.", CLIENT),
        honoured("sasl.login.read.timeout.ms", "`OAuthTokens.Builder.readTimeout`. Of the whole response.", CLIENT),
        honoured("sasl.login.retry.backoff.max.ms", "`OAuthTokens.Builder.retryBackoffMax`.", CLIENT),
        honoured("sasl.login.retry.backoff.ms", "`OAuthTokens.Builder.retryBackoff`.", CLIENT),
        honoured(REFRESH + "buffer.seconds", "`LoginRefresh.Builder.buffer`. Of OAUTHBEARER.", CLIENT),
        honoured(REFRESH + "min.period.seconds", "`LoginRefresh.Builder.minPeriod`. Of OAUTHBEARER.", CLIENT),
        honoured(REFRESH + "window.factor", "`LoginRefresh.Builder.windowFactor`. Of OAUTHBEARER.", CLIENT),
        honoured(REFRESH + "window.jitter", "`LoginRefresh.Builder.windowJitter`. Of OAUTHBEARER.", CLIENT));
  }

  static List<SettingRule> oauth() {
    return List.of(
        honoured(OAUTH + "token.endpoint.url", "`OAuthTokens.from` and `OAuthTokens.file`. https, file, or http on this"
            + " host.", CLIENT),
        honoured(OAUTH + "jwt.retriever.class", "`OAuthTokens`. Kafka's own four.", CLIENT),
        honoured(OAUTH + "client.credentials.client.id", "`OAuthTokens.Builder.clientCredentials`. Or the login"
            + " module's clientId.", CLIENT),
        honoured(OAUTH + "client.credentials.client.secret", "`OAuthTokens.Builder.clientCredentials`. Or the login"
            + " module's clientSecret.", CLIENT),
        honoured(OAUTH + "scope", "`OAuthTokens.Builder.scope`. Or the login module's scope.", CLIENT),
        honoured(OAUTH + "header.urlencode", "`OAuthTokens.Builder.urlEncodeClientCredentials`.", CLIENT),
        honoured(OAUTH + "assertion.algorithm", "`JwtAssertion`. RS256 or ES256.", CLIENT),
        honoured(OAUTH + "assertion.claim.aud", "`JwtAssertion.Builder.audience`.", CLIENT),
        honoured(OAUTH + "assertion.claim.exp.seconds", "`JwtAssertion.Builder.lifetime`.", CLIENT),
        honoured(OAUTH + "assertion.claim.iss", "`JwtAssertion.Builder.issuer`.", CLIENT),
        honoured(OAUTH + "assertion.claim.jti.include", "`JwtAssertion.Builder.withId`.", CLIENT),
        honoured(OAUTH + "assertion.claim.nbf.seconds", "`JwtAssertion.Builder.notBefore`.", CLIENT),
        honoured(OAUTH + "assertion.claim.sub", "`JwtAssertion.Builder.subject`.", CLIENT),
        honoured(OAUTH + "assertion.file", "`AssertionProvider.file`. Read for each token.", CLIENT),
        honoured(OAUTH + "assertion.private.key.file", "`JwtAssertion`. Read for each token.", CLIENT),
        honoured(OAUTH + "assertion.private.key.passphrase", "`JwtAssertion.Builder.password`.", CLIENT),
        honoured(OAUTH + "assertion.template.file", "`JwtAssertion.Builder.template`. Read for each token.", CLIENT),
        noEffect(OAUTH + "allow.unverified.audience", BROKERS),
        noEffect(OAUTH + "allow.unverified.issuer", BROKERS),
        noEffect(OAUTH + "clock.skew.seconds", BROKERS),
        noEffect(OAUTH + "expected.audience", BROKERS),
        noEffect(OAUTH + "expected.issuer", BROKERS),
        noEffect(OAUTH + "jwks.*", BROKERS),
        noEffect(OAUTH + "jwt.validator.class", BROKERS),
        noEffect(OAUTH + "scope.claim.name", BROKERS),
        noEffect(OAUTH + "sub.claim.name", BROKERS));
  }

  static List<SettingRule> ssl() {
    return List.of(
        honoured("ssl.cipher.suites", TLS + "cipherSuites`. The JDK's by default.", CLIENT),
        honoured("ssl.enabled.protocols",
            TLS + "protocols`. TLSv1.3 and TLSv1.2; older ones beside these are left out.", CLIENT),
        honoured("ssl.endpoint.identification.algorithm", TLS + "withoutHostNameVerification()` for an empty value."
            + " https otherwise.", CLIENT),
        honoured("ssl.key.password", "`KeySource`. Of a private key; by default that of the store.", CLIENT),
        honoured("ssl.keystore.certificate.chain", "`KeySource.pemText`. With type PEM.", CLIENT),
        honoured("ssl.keystore.key", "`KeySource.pemText`. With type PEM; PKCS#8.", CLIENT),
        honoured("ssl.keystore.location", "`KeySource`. Read again when it changes, each minute.", CLIENT),
        honoured("ssl.keystore.password", "`KeySource`.", CLIENT),
        honoured("ssl.keystore.type", "`KeySource`. JKS, PKCS12, PEM, or a type of a registered provider.", CLIENT),
        honoured("ssl.truststore.certificates", "`TrustSource.pemText`. With type PEM.", CLIENT),
        honoured("ssl.truststore.location", "`TrustSource`. Read again when it changes, each minute; without it, what"
            + " the JDK trusts.", CLIENT),
        honoured("ssl.truststore.password", "`TrustSource`.", CLIENT),
        honoured("ssl.truststore.type", "`TrustSource`. JKS, PKCS12, PEM, or a type of a registered provider.", CLIENT),
        refusedUnless("", "ssl.engine.factory.class", "give KafkaClientBuilder.tls the engines: TlsSettings.builder()"
            + ".engines(...) takes a TlsEngineFactory; Apache's interfaces (decant-kafka-apache) take the class"),
        honoured("ssl.keymanager.algorithm", TLS + "keyManagerAlgorithm`. Of any registered provider.", CLIENT),
        honoured("ssl.trustmanager.algorithm", TLS + "trustManagerAlgorithm`. Of any registered provider.", CLIENT),
        honoured("ssl.protocol", TLS + "contextProtocol`. Names the JDK's context; `ssl.enabled.protocols` says which"
            + " versions are used.", CLIENT),
        honoured("ssl.provider", TLS + "provider`. By the name under which it is registered.", CLIENT),
        honoured("ssl.secure.random.implementation", TLS + "secureRandom`.", CLIENT));
  }
}
