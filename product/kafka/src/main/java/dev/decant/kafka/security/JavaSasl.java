package dev.decant.kafka.security;

import dev.decant.net.Printable;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import javax.security.auth.Subject;
import javax.security.auth.callback.CallbackHandler;
import org.jspecify.annotations.Nullable;

/**
 * A mechanism of {@code javax.security.sasl} of any security provider, with a callback handler and a login of the
 * application. It serves libraries that bring a mechanism of their own, for example that of a cloud. Thread-safe.
 *
 * <pre>
 * SaslMechanism mechanism = JavaSasl.mechanism("AWS_MSK_IAM").callbackHandler(handler).build();
 * KafkaClient.builder("broker:9098").tls(TlsSettings.builder().build()).sasl(mechanism)
 * </pre>
 *
 * <p>Each connection has a {@code SaslClient} of its own. It runs as the Subject of the login, on a platform thread of
 * its own, since its code may block while it holds a monitor. An exception of it, or of the callback handler, becomes
 * the cause of an {@link AuthenticationException}.
 */
public final class JavaSasl implements SaslMechanism {
  /** Mechanisms that send the secret itself. */
  private static final Set<String> SENDING = Set.of("PLAIN", "OAUTHBEARER", "XOAUTH2", "LOGIN");

  final String name;
  final String serviceName;
  final Map<String, ?> properties;
  final CallbackHandler handler;
  final @Nullable ClassLoader loader;
  private final SubjectProvider login;
  private final boolean sendsSecret;

  private JavaSasl(Builder builder) {
    name = builder.name;
    serviceName = builder.serviceName;
    properties = new HashMap<>(builder.properties);
    handler = builder.handler;
    login = builder.login;
    sendsSecret = builder.sendsSecret;
    loader = Thread.currentThread().getContextClassLoader();
  }

  /**
   * Makes a builder with a mechanism.
   *
   * @param name the name in brokers and a security provider of the JVM; the provider may be registered later
   * @return a builder
   * @throws IllegalArgumentException if RFC 4422 does not allow the name, or the Java run-time image lacks the module
   *     {@code java.security.sasl}
   */
  public static Builder mechanism(String name) {
    Objects.requireNonNull(name, "name");
    if (!name.matches("[A-Z0-9_-]{1,64}")) {
      throw new IllegalArgumentException("mechanism \"" + Printable.of(name)
          + "\": a name has capital letters, digits, - and _");
    }
    try {
      Class.forName("javax.security.sasl.SaslClient", false, JavaSasl.class.getClassLoader());
    } catch (ClassNotFoundException e) {
      throw new IllegalArgumentException("mechanism " + name + ": this Java run-time image has no SASL; make it by"
          + " jlink with --add-modules java.security.sasl", e);
    }
    return new Builder(name);
  }

  /**
   * Returns a callback handler that takes names and passwords from the Subject of the login. They are the first {@code
   * String} of its public credentials and that of its private ones. It accepts the default of a realm, and refuses to
   * act for another name.
   *
   * @return the handler; it works only on the threads of an exchange
   */
  public static CallbackHandler subjectCallbacks() {
    return new SubjectCallbacks();
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public boolean sendsSecret() {
    return sendsSecret;
  }

  @Override
  public boolean needsPlatformThread() {
    return true;
  }

  @Override
  public SaslExchange begin(SaslPeer peer) {
    return new JavaSaslExchange(this, login, peer.host());
  }

  @Override
  public String toString() {
    return name;
  }

  /** Makes a mechanism. One thread. */
  public static final class Builder {
    private final String name;
    private final Map<String, Object> properties = new HashMap<>();
    private String serviceName = "kafka";
    private CallbackHandler handler = subjectCallbacks();
    private SubjectProvider login;
    private boolean sendsSecret;

    private Builder(String name) {
      this.name = name;
      Subject empty = new Subject();
      login = () -> empty;
      sendsSecret = SENDING.contains(name);
    }

    /**
     * Sets the handler that the mechanism asks for names and tokens.
     *
     * @param value called on platform threads, several at a time; may block. {@link #subjectCallbacks} by default
     * @return this
     */
    public Builder callbackHandler(CallbackHandler value) {
      handler = Objects.requireNonNull(value, "value");
      return this;
    }

    /**
     * Sets the Subject as which the mechanism runs. {@code Subject.current()} returns it in the mechanism and in the
     * callback handler.
     *
     * @param value called for each connection; a Subject without credentials by default
     * @return this
     */
    public Builder login(SubjectProvider value) {
      login = Objects.requireNonNull(value, "value");
      return this;
    }

    /**
     * Sets the protocol of the SASL client: for Kerberos the first part of the brokers' principals.
     *
     * @param value {@code kafka} by default
     * @return this
     */
    public Builder serviceName(String value) {
      serviceName = Objects.requireNonNull(value, "value");
      return this;
    }

    /**
     * Adds properties for the SASL client, for example {@code javax.security.sasl.qop}. A mechanism that encrypts the
     * traffic does not work: brokers leave that to TLS.
     *
     * @param values by name; a value may be null
     * @return this
     */
    public Builder properties(Map<String, ?> values) {
      properties.putAll(Objects.requireNonNull(values, "values"));
      return this;
    }

    /**
     * Sets whether a peer that overhears the exchange learns the secret, see {@link SaslMechanism#sendsSecret}.
     *
     * @param value true for PLAIN, OAUTHBEARER, XOAUTH2 and LOGIN by default, false for others
     * @return this
     */
    public Builder sendsSecret(boolean value) {
      sendsSecret = value;
      return this;
    }

    /**
     * Makes the mechanism.
     *
     * @return the mechanism
     */
    public SaslMechanism build() {
      return new JavaSasl(this);
    }
  }
}
