package dev.decant.kafka.security;

import java.time.InstantSource;
import java.util.Map;
import java.util.Objects;

/** The SASL mechanisms of Kafka. */
public final class Sasl {
  private Sasl() {}

  /**
   * Makes PLAIN (RFC 4616). It sends name and password as they are, so encrypt the connection.
   *
   * @param credentials read for each connection
   * @return the mechanism
   */
  public static SaslMechanism plain(CredentialsProvider credentials) {
    return new PlainMechanism(credentials);
  }

  /**
   * Makes SCRAM-SHA-256 (RFC 5802, RFC 7677). It proves the password without sending it, and checks that the broker
   * knows it, too.
   *
   * @param credentials read for each connection
   * @return the mechanism
   */
  public static SaslMechanism scramSha256(CredentialsProvider credentials) {
    return new ScramMechanism(ScramHash.SHA_256, credentials, false);
  }

  /**
   * Makes SCRAM-SHA-512: as {@link #scramSha256}, with the longer hash.
   *
   * @param credentials read for each connection
   * @return the mechanism
   */
  public static SaslMechanism scramSha512(CredentialsProvider credentials) {
    return new ScramMechanism(ScramHash.SHA_512, credentials, false);
  }

  /**
   * Makes SCRAM-SHA-256 for a delegation token (KIP-48), with the token's id and HMAC as name and password.
   *
   * @param token id and HMAC, read for each connection
   * @return the mechanism
   */
  public static SaslMechanism delegationTokenSha256(CredentialsProvider token) {
    return new ScramMechanism(ScramHash.SHA_256, token, true);
  }

  /**
   * Makes SCRAM-SHA-512 for a delegation token (KIP-48).
   *
   * @param token id and HMAC, read for each connection
   * @return the mechanism
   */
  public static SaslMechanism delegationTokenSha512(CredentialsProvider token) {
    return new ScramMechanism(ScramHash.SHA_512, token, true);
  }

  /**
   * Makes OAUTHBEARER (RFC 7628, KIP-255). It sends a token, so encrypt the connection. All connections share the
   * token. The client fetches another one before its end, by {@link LoginRefresh#DEFAULT}, and when a broker refuses
   * it.
   *
   * @param tokens fetches tokens
   * @param extensions sent to the broker with the token (KIP-342), for example {@code logicalCluster}; may be empty
   * @return the mechanism
   */
  public static SaslMechanism oauthBearer(TokenProvider tokens, Map<String, String> extensions) {
    return oauthBearer(tokens, extensions, LoginRefresh.DEFAULT);
  }

  /**
   * Makes OAUTHBEARER, as {@link #oauthBearer(TokenProvider, Map)}, with a rule for fetching the next token.
   *
   * @param tokens fetches tokens
   * @param extensions sent to the broker with the token (KIP-342), for example {@code logicalCluster}; may be empty
   * @param refresh decides when to fetch the next token
   * @return the mechanism
   */
  public static SaslMechanism oauthBearer(TokenProvider tokens, Map<String, String> extensions, LoginRefresh refresh) {
    return new OAuthMechanism(new TokenCache(tokens, refresh, InstantSource.system()), extensions);
  }

  /**
   * Makes GSSAPI (RFC 4752): Kerberos, by the JDK's own implementation, with QOP {@code auth}. It authenticates the
   * broker, too, and leaves encryption to TLS. The client needs the JDK's modules {@code jdk.security.jgss} and {@code
   * jdk.security.auth}, which an image of jlink may lack.
   *
   * @param serviceName the first part of the brokers' principals: {@code kafka} of {@code kafka/host@REALM}; the host
   *     is the one that the client connects to
   * @param login gives the client's ticket
   * @return the mechanism
   * @throws IllegalArgumentException if the service name is invalid, or the Java run-time image has no Kerberos
   */
  public static SaslMechanism gssapi(String serviceName, KerberosLogin login) {
    return new GssapiMechanism(Objects.requireNonNull(serviceName, "serviceName"),
        Objects.requireNonNull(login, "login"));
  }

  /**
   * Makes the mechanism that Kafka's properties describe: {@code sasl.mechanism} (PLAIN, SCRAM-SHA-256, SCRAM-SHA-512,
   * OAUTHBEARER, GSSAPI) and {@code sasl.jaas.config} with the login module of that mechanism. {@code
   * sasl.oauthbearer.*} and {@code sasl.login.*} are for tokens, {@code sasl.kerberos.*} for GSSAPI.
   *
   * <p>With ScramLoginModule's {@code tokenauth="true"}, user name and password are those of a delegation token.
   * Without {@code sasl.jaas.config} the login context KafkaClient of the JVM is used.
   *
   * @param properties by Kafka's names; other names are ignored
   * @return the mechanism
   * @throws IllegalArgumentException if the mechanism or the login module is unknown, or a setting is missing; the
   *     message has no secret
   */
  public static SaslMechanism fromProperties(Map<String, String> properties) {
    return SaslSettings.read(Objects.requireNonNull(properties, "properties"));
  }
}
