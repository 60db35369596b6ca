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
 * Where a client's Kerberos ticket comes from: a keytab, a ticket cache, a login context of JAAS, or the application.
 * Immutable and thread-safe. One login serves all connections of a mechanism.
 *
 * <pre>
 * KerberosLogin login = KerberosLogin.keytab(Path.of("/etc/orders.keytab"), "orders@EXAMPLE.COM").build();
 * KafkaClient.builder("broker:9093").sasl(Sasl.gssapi("kafka", login))
 * </pre>
 *
 * <p>The JDK's Kerberos reads {@code krb5.conf}, or what the system property {@code java.security.krb5.conf} names. The
 * client logs in when a connection needs it, never on the I/O thread.
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
   * Begins with a keytab: the client logs in by a key in a file, and logs in again ahead of the ticket's end.
   *
   * @param keytab the file, read at each login
   * @param principal such as {@code orders@EXAMPLE.COM}; without a realm, that of {@code krb5.conf}
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
   * Begins with the user's ticket cache: that of the environment variable {@code KRB5CCNAME}, or the operating system's
   * default. Something else, such as {@code kinit} or {@code k5start}, puts tickets there. A renewable ticket is
   * renewed at the KDC, and the cache stays as it is.
   *
   * @return a builder
   */
  public static Builder ticketCache() {
    return new Builder(KerberosJaasLogin.of(MODULE, cacheOptions()));
  }

  /**
   * Begins with a ticket cache in a file, as {@link #ticketCache()}.
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
   * Begins with a login context of JAAS, which the application or the file of the system property
   * {@code java.security.auth.login.config} configures.
   *
   * @param name the context's, such as {@code KafkaClient}
   * @return a builder
   */
  public static Builder loginContext(String name) {
    return new Builder(KerberosJaasLogin.ofContext(Objects.requireNonNull(name, "name")));
  }

  /** The options of a Krb5LoginModule, as they stand in {@code sasl.jaas.config}. */
  static Builder options(Map<String, String> options) {
    return new Builder(KerberosJaasLogin.of(MODULE, options));
  }

  /**
   * A login of the application's: it keeps the ticket good, and the client never logs in.
   *
   * @param subject asked for each connection, on a virtual thread; the Subject has a ticket among its private
   *     credentials
   * @return the login
   */
  public static KerberosLogin subject(Supplier<Subject> subject) {
    Objects.requireNonNull(subject, "subject");
    return new Builder(new OfApplication(subject)).build();
  }

  /** Another source, of a test. */
  static Builder of(SubjectCache.Source source) {
    return new Builder(source);
  }

  /** The Subject of the application. */
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

  /** The Subject for all connections of a mechanism. */
  SubjectProvider open(InstantSource clock) {
    if (source instanceof OfApplication application) {
      return application::login;
    }
    return cached(clock);
  }

  /** The Subject of a login of the client's own. */
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
     * Sets after which part of a ticket's life the client logs in again; Kafka's
     * {@code sasl.kerberos.ticket.renew.window.factor}. The first connection after that begins the login and uses the
     * ticket that is there.
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
     * Sets how much later than that it may be, by chance, so that clients do not all log in at once; Kafka's
     * {@code sasl.kerberos.ticket.renew.jitter}.
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
     * Sets how long after an attempt to log in the next one begins at the earliest, while the ticket is good; Kafka's
     * {@code sasl.kerberos.min.time.before.relogin}.
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
     * Makes the login. Nothing is read before a connection needs it.
     *
     * @return the login
     */
    public KerberosLogin build() {
      return new KerberosLogin(this);
    }
  }
}
