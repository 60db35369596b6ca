package dev.decant.kafka.settings;

import static dev.decant.kafka.settings.SettingOwner.CLIENT;
import static dev.decant.kafka.settings.SettingRule.honoured;
import static dev.decant.kafka.settings.SettingRule.noEffectIf;
import static dev.decant.kafka.settings.SettingRule.notYet;
import static dev.decant.kafka.settings.SettingRule.refused;
import static dev.decant.kafka.settings.SettingRule.refusedUnless;

import java.util.List;

/** What Decant does with the settings of security. */
final class SecurityRules {
  private static final String TLS = "`tls`: `TlsSettings.";
  private static final String TYPED_SASL = "give KafkaClient.Builder.sasl a SaslMechanism with a provider of yours";
  private static final String TYPED_TLS = "give KafkaClient.Builder.tls TlsSettings with an SSLContext of yours";
  private static final String NOT_YET = "not yet by this name: give KafkaClient.Builder.sasl a mechanism";

  private SecurityRules() {}

  static List<SettingRule> sasl() {
    return List.of(
        honoured("security.protocol", "`tls` and `sasl`. PLAINTEXT, SSL, SASL_PLAINTEXT or SASL_SSL.", CLIENT),
        honoured("sasl.mechanism", "`sasl`. PLAIN, SCRAM-SHA-256 or SCRAM-SHA-512; Kafka's default, GSSAPI, has to be"
            + " named.", CLIENT),
        honoured("sasl.jaas.config", "`sasl`: `Sasl`'s credentials. One login module of Kafka's, and its options.",
            CLIENT),
        refused("sasl.client.callback.handler.class", TYPED_SASL),
        refused("sasl.login.callback.handler.class", TYPED_SASL),
        refused("sasl.login.class", TYPED_SASL),
        notYet("sasl.*", NOT_YET),
        refusedUnless("", "security.providers", "add providers to the JDK's java.security, or " + TYPED_TLS));
  }

  static List<SettingRule> ssl() {
    return List.of(
        honoured("ssl.cipher.suites", TLS + "cipherSuites`. The JDK's by default.", CLIENT),
        honoured("ssl.enabled.protocols", TLS + "protocols`. TLSv1.3 and TLSv1.2; no older ones.", CLIENT),
        honoured("ssl.endpoint.identification.algorithm", TLS + "withoutHostNameVerification()` for an empty value."
            + " https otherwise.", CLIENT),
        honoured("ssl.key.password", "`KeySource`. Of a private key in PEM or JKS.", CLIENT),
        honoured("ssl.keystore.certificate.chain", "`KeySource.pemText`. With type PEM.", CLIENT),
        honoured("ssl.keystore.key", "`KeySource.pemText`. With type PEM; PKCS#8.", CLIENT),
        honoured("ssl.keystore.location", "`KeySource`. Read again when it changes, each minute.", CLIENT),
        honoured("ssl.keystore.password", "`KeySource`.", CLIENT),
        honoured("ssl.keystore.type", "`KeySource`. JKS, PKCS12 or PEM.", CLIENT),
        honoured("ssl.truststore.certificates", "`TrustSource.pemText`. With type PEM.", CLIENT),
        honoured("ssl.truststore.location", "`TrustSource`. Read again when it changes, each minute; without it, what"
            + " the JDK trusts.", CLIENT),
        honoured("ssl.truststore.password", "`TrustSource`.", CLIENT),
        honoured("ssl.truststore.type", "`TrustSource`. JKS, PKCS12 or PEM.", CLIENT),
        refusedUnless("", "ssl.engine.factory.class", TYPED_TLS),
        refusedUnless("sunx509|pkix|newsunx509", "ssl.keymanager.algorithm", TYPED_TLS),
        refusedUnless("sunx509|pkix", "ssl.trustmanager.algorithm", TYPED_TLS),
        noEffectIf("tls|tlsv1[.]2|tlsv1[.]3", "ssl.protocol",
            "`ssl.enabled.protocols` alone says which versions are used."),
        refusedUnless("", "ssl.provider", TYPED_TLS),
        refusedUnless("", "ssl.secure.random.implementation", TYPED_TLS));
  }
}
