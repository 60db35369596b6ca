package dev.decant.kafka.security;

import java.time.InstantSource;
import java.util.Map;
import java.util.Objects;

/** The SASL mechanisms of Kafka. */
public final class Sasl {
  private Sasl() {}

  /**
   * PLAIN (RFC 4616): sends name and password as they are, so the connection should be encrypted.
   *
   * @param credentials asked for each connection
   * @return the mechanism
   */
  public static SaslMechanism plain(CredentialsProvider credentials) {
    return new PlainMechanism(credentials);
  }

  /**
   * SCRAM-SHA-256 (RFC 5802, RFC 7677): proves the password without sending it, and checks that the broker knows it
   * too.
   *
   * @param credentials asked for each connection
   * @return the mechanism
   */
  public static SaslMechanism scramSha256(CredentialsProvider credentials) {
    return new ScramMechanism(ScramHash.SHA_256, credentials, false);
  }

  /**
   * SCRAM-SHA-512: as {@link #scramSha256}, with the longer hash.
   *
   * @param credentials asked for each connection
   * @return the mechanism
   */
  public static SaslMechanism scramSha512(CredentialsProvider credentials) {
    return new ScramMechanism(ScramHash.SHA_512, credentials, false);
  }

  /**
   * A delegation token (KIP-48): its id and its HMAC in place of name and password, by SCRAM-SHA-256.
   *
   * @param token id and HMAC, asked for each connection
   * @return the mechanism
   */
  public static SaslMechanism delegationTokenSha256(CredentialsProvider token) {
    return new ScramMechanism(ScramHash.SHA_256, token, true);
  }

  /**
   * A delegation token (KIP-48), by SCRAM-SHA-512.
   *
   * @param token id and HMAC, asked for each connection
   * @return the mechanism
   */
  public static SaslMechanism delegationTokenSha512(CredentialsProvider token) {
    return new ScramMechanism(ScramHash.SHA_512, token, true);
  }

  /**
   * OAUTHBEARER (RFC 7628, KIP-255): sends a token, so the connection should be encrypted. All connections share it; it
   * is fetched again ahead of its end as {@link LoginRefresh#DEFAULT} says, and when a broker refuses it.
   *
   * @param tokens fetches tokens
   * @param extensions told to the broker beside the token (KIP-342), such as {@code logicalCluster}; may be empty
   * @return the mechanism
   */
  public static SaslMechanism oauthBearer(TokenProvider tokens, Map<String, String> extensions) {
    return oauthBearer(tokens, extensions, LoginRefresh.DEFAULT);
  }

  /**
   * OAUTHBEARER, as {@link #oauthBearer(TokenProvider, Map)}, with a rule when to fetch the next token.
   *
   * @param tokens fetches tokens
   * @param extensions told to the broker beside the token (KIP-342), such as {@code logicalCluster}; may be empty
   * @param refresh when to fetch the next token
   * @return the mechanism
   */
  public static SaslMechanism oauthBearer(TokenProvider tokens, Map<String, String> extensions, LoginRefresh refresh) {
    return new OAuthMechanism(new TokenCache(tokens, refresh, InstantSource.system()), extensions);
  }

  /**
   * GSSAPI (RFC 4752): Kerberos, by the JDK's own, with QOP {@code auth}. It authenticates the broker too, and leaves
   * encryption to TLS. The client needs the JDK's modules {@code jdk.security.jgss} and {@code jdk.security.auth}. An
   * image of jlink may lack them.
   *
   * @param serviceName the first part of the brokers' principals: {@code kafka} of {@code kafka/host@REALM}; the host
   *     is that by which a broker is reached
   * @param login gives the client's ticket
   * @return the mechanism
   * @throws IllegalArgumentException if the service name is none, or the Java run-time image has no Kerberos
   */
  public static SaslMechanism gssapi(String serviceName, KerberosLogin login) {
    return new GssapiMechanism(Objects.requireNonNull(serviceName, "serviceName"),
        Objects.requireNonNull(login, "login"));
  }

  /**
   * What Kafka's properties describe: {@code sasl.mechanism} (PLAIN, SCRAM-SHA-256, SCRAM-SHA-512, OAUTHBEARER,
   * GSSAPI) and {@code sasl.jaas.config} with the login module of that mechanism. {@code sasl.oauthbearer.*} and
   * {@code sasl.login.*} are for tokens, {@code sasl.kerberos.*} for GSSAPI. ScramLoginModule's
   * {@code tokenauth="true"} makes user name and password those of a delegation token. Without
   * {@code sasl.jaas.config} the login context KafkaClient of the JVM is taken.
   *
   * @param properties by Kafka's names; other names are passed over
   * @return the mechanism
   * @throws IllegalArgumentException if the mechanism or the login module is unknown, or something is missing; the
   *     message has no secret
   */
  public static SaslMechanism fromProperties(Map<String, String> properties) {
    return SaslSettings.read(Objects.requireNonNull(properties, "properties"));
  }
}
