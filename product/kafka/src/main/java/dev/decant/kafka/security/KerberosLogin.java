package dev.decant.kafka.security;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Supplier;
import javax.security.auth.Subject;

/**
 * The source of a client's Kerberos ticket: a keytab, a ticket cache, a login context of JAAS, or the application.
 * Immutable and thread-safe. One login serves all connections of a mechanism.
 *
 * <pre>
 * KerberosLogin login = KerberosLogin.keytab(Path.of("/etc/orders.keytab"), "orders@EXAMPLE.COM").build();
 * KafkaClient.builder("broker:9093").sasl(Sasl.gssapi("kafka", login))
 * </pre>
 *
 * <p>The JDK's Kerberos reads {@code krb5.conf}, or the file that the system property {@code java.security.krb5.conf}
 * names. The client logs in when a connection needs it, never on the I/O thread.
 */
public final class KerberosLogin {
  private static final String MODULE = "com.sun.security.auth.module.Krb5LoginModule";

  private final SubjectCache.Source source;
  private final double renewWindowFactor;
  private final double renewJitter;
  private final Duration minTimeBeforeRelogin;

  private KerberosLogin(Builder builder) {
    this.source = builder.source;
    this.renewWindowFactor = builder.renewWindowFactor;
    this.renewJitter = builder.renewJitter;
    this.minTimeBeforeRelogin = builder.minTimeBeforeRelogin;
  }

  /**
   * Makes a builder with a keytab: the client logs in by a key in a file, and again before the ticket ends.
   *
   * @param keytab the file, read at each login
   * @param principal for example {@code orders@EXAMPLE.COM}; without a realm, that of {@code krb5.conf}
   * @return a builder
   */
  public static Builder keytab(Path keytab, String principal) {
    Objects.requireNonNull(keytab, "keytab");
    Objects.requireNonNull(principal, "principal");
    return new Builder(
        KerberosJaasLogin.of(MODULE, Map.of("useKeyTab", "true", "keyTab", keytab.toString(), "principal",
            principal, "doNotPrompt", "true", "refreshKrb5Config", "true")));
  }

  /**
   * Makes a builder with the user's ticket cache: that of the environment variable {@code KRB5CCNAME}, or the operating
   * system's default. Another program, for example {@code kinit} or {@code k5start}, writes its tickets. A renewable
   * ticket is renewed at the KDC, and the cache stays as it is.
   *
   * @return a builder
   */
  public static Builder ticketCache() {
    return new Builder(KerberosJaasLogin.of(MODULE, cacheOptions()));
  }

  /**
   * Makes a builder with a ticket cache in a file, as {@link #ticketCache()} does.
   *
   * @param cache the file, read at each login
   * @return a builder
   */
  public static Builder ticketCache(Path cache) {
    Map<String, String> options = cacheOptions();
    options.put("ticketCache", Objects.requireNonNull(cache, "cache").toString());
    return new Builder(KerberosJaasLogin.of(MODULE, options));
  }

  private static Map<String, String> cacheOptions() {
    return new LinkedHashMap<>(Map.of("useTicketCache", "true", "renewTGT", "true", "doNotPrompt", "true",
        "refreshKrb5Config", "true"));
  }

  /**
   * Makes a builder with a login context of JAAS, which the application or the file of the system property {@code
   * java.security.auth.login.config} configures.
   *
   * @param name of the context, for example {@code KafkaClient}
   * @return a builder
   */
  public static Builder loginContext(String name) {
    return new Builder(KerberosJaasLogin.ofContext(Objects.requireNonNull(name, "name")));
  }

  /** Makes a builder with the options of a Krb5LoginModule, in the form of {@code sasl.jaas.config}. */
  static Builder options(Map<String, String> options) {
    return new Builder(KerberosJaasLogin.of(MODULE, options));
  }

  /**
   * Makes a login from Subjects of the application. The application keeps the ticket valid, and the client never logs
   * in.
   *
   * @param subject called for each connection, on a virtual thread; the Subject has a ticket among its private
   *     credentials
   * @return the login
   */
  public static KerberosLogin subject(Supplier<Subject> subject) {
    Objects.requireNonNull(subject, "subject");
    return new Builder(new OfApplication(subject)).build();
  }

  /** Makes a builder with another source, for tests. */
  static Builder of(SubjectCache.Source source) {
    return new Builder(source);
  }

  /** Returns the Subject of the application. */
  record OfApplication(Supplier<Subject> subject) implements SubjectCache.Source {
    @Override
    public Subject login() {
      return Objects.requireNonNull(subject.get(), "the Subject that the application gives");
    }

    @Override
    public String toString() {
      return "a Subject of the application";
    }
  }

  /** Makes the provider of the Subject for all connections of a mechanism. */
  SubjectProvider open(InstantSource clock) {
    if (source instanceof OfApplication application) {
      return application::login;
    }
    return cached(clock);
  }

  /** Makes the cache of the Subject of the client's own logins. */
  SubjectCache cached(InstantSource clock) {
    return new SubjectCache(new SubjectCache.Rules(toString(), source, KerberosTickets::lifetime, this::renewAt,
        Thread.ofVirtual().name("decant-kerberos").factory(), "run kinit, or give the client a keytab"),
        minTimeBeforeRelogin,
        clock);
  }

  SubjectCache.Source source() {
    return source;
  }

  private Instant renewAt(Instant now, JaasLogin.Lifetime life) {
    double part = renewWindowFactor + renewJitter * ThreadLocalRandom.current().nextDouble();
    Instant wanted = life.begins().plusMillis((long) (Duration.between(life.begins(), life.ends()).toMillis() * part));
    Instant earliest = now.plus(minTimeBeforeRelogin);
    return wanted.isBefore(earliest) ? earliest : wanted;
  }

  @Override
  public String toString() {
    return "Kerberos login by " + source;
  }

  /** Makes a login. One thread. */
  public static final class Builder {
    private final SubjectCache.Source source;
    private double renewWindowFactor = 0.8;
    private double renewJitter = 0.05;
    private Duration minTimeBeforeRelogin = Duration.ofMinutes(1);

    private Builder(SubjectCache.Source source) {
      this.source = source;
    }

    /**
     * Sets the part of a ticket's life after which the client logs in again; Kafka's {@code
     * sasl.kerberos.ticket.renew.window.factor}. The first connection after that starts the login, and itself still
     * uses the present ticket.
     *
     * @param factor more than 0 and at most 1; 0.8 by default
     * @return this
     * @throws IllegalArgumentException if it is out of bounds
     */
    public Builder ticketRenewWindowFactor(double factor) {
      if (!(factor > 0 && factor <= 1)) {
        throw new IllegalArgumentException("factor: " + factor + " is not more than 0 and at most 1");
      }
      renewWindowFactor = factor;
      return this;
    }

    /**
     * Sets the random part that is added to this factor, so that clients do not all log in at once; Kafka's {@code
     * sasl.kerberos.ticket.renew.jitter}.
     *
     * @param jitter a part of the ticket's life, from 0 to 1; 0.05 by default
     * @return this
     * @throws IllegalArgumentException if it is out of bounds
     */
    public Builder ticketRenewJitter(double jitter) {
      if (!(jitter >= 0 && jitter <= 1)) {
        throw new IllegalArgumentException("jitter: " + jitter + " is not from 0 to 1");
      }
      renewJitter = jitter;
      return this;
    }

    /**
     * Sets the least time between two attempts to log in while the ticket is valid; Kafka's {@code
     * sasl.kerberos.min.time.before.relogin}.
     *
     * @param time 1 min by default; zero for no pause
     * @return this
     * @throws IllegalArgumentException if it is negative
     */
    public Builder minTimeBeforeRelogin(Duration time) {
      Objects.requireNonNull(time, "time");
      if (time.isNegative()) {
        throw new IllegalArgumentException("time: " + time + " is negative");
      }
      Duration most = Duration.ofDays(365);
      minTimeBeforeRelogin = time.compareTo(most) > 0 ? most : time;
      return this;
    }

    /**
     * Makes the login. It reads nothing before a connection needs it.
     *
     * @return the login
     */
    public KerberosLogin build() {
      return new KerberosLogin(this);
    }
  }
}
