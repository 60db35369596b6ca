package dev.decant.kafka.security;

import dev.decant.net.Printable;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Function;
import javax.security.auth.Subject;
import javax.security.auth.callback.CallbackHandler;
import javax.security.auth.login.AppConfigurationEntry;
import javax.security.auth.login.AppConfigurationEntry.LoginModuleControlFlag;
import javax.security.auth.login.Configuration;
import javax.security.auth.login.LoginContext;
import javax.security.auth.login.LoginException;
import org.jspecify.annotations.Nullable;

/**
 * A login by JAAS for {@link JavaSasl}: any {@code LoginModule}, with a {@code CallbackHandler} of the application.
 * Thread-safe. One login serves all connections. Each login fills a Subject of its own, so an exchange keeps the
 * credentials with which it began.
 *
 * <p>{@link LoginRefresh} decides when credentials that expire are replaced. The first connection after that time
 * starts the login on a thread of its own; no thread waits until then. A replaced login is logged out when its
 * successor is replaced, too. By default only Kerberos tickets expire; {@link Builder#lifetime} sets the lifetime of
 * others.
 */
public final class JaasLogin implements SubjectProvider {
  private static final String OWN_CONTEXT = "decant";
  /** The pause after a failed refresh, as in Kafka's clients. */
  private static final Duration PAUSE = Duration.ofSeconds(10);
  private static final boolean HAS_KERBEROS = hasKerberos();

  private final String context;
  /** Null for the configuration of the JVM. */
  private final @Nullable Configuration configuration;
  private final String name;
  private final CallbackHandler handler;
  private final @Nullable ClassLoader loader;
  private final Function<Subject, @Nullable Lifetime> lifetime;
  private final SubjectCache subjects;
  /**
   * The login in use, and the one before it, whose Subject an exchange may still have. Only one thread logs in at a
   * time.
   */
  private @Nullable LoginContext latest;
  private @Nullable LoginContext replaced;

  private JaasLogin(Builder builder, InstantSource clock) {
    context = builder.context;
    configuration = builder.configuration;
    name = builder.name;
    handler = builder.handler;
    lifetime = builder.lifetime;
    loader = Thread.currentThread().getContextClassLoader();
    LoginRefresh refresh = builder.refresh;
    subjects = new SubjectCache(new SubjectCache.Rules(toString(), this::fresh, lifetime,
        (now, life) -> refresh.at(now, life.begins(), life.ends(), ThreadLocalRandom.current().nextDouble()),
        Thread.ofPlatform().daemon().name("decant-login").factory(),
        "check the clocks, and what gives the credentials"), PAUSE,
        clock);
  }

  /**
   * The time for which credentials are valid.
   *
   * @param begins the beginning
   * @param ends the end
   */
  public record Lifetime(Instant begins, Instant ends) {
    /** Checks that both are given. */
    public Lifetime {
      Objects.requireNonNull(begins, "begins");
      Objects.requireNonNull(ends, "ends");
    }
  }

  private static boolean hasKerberos() {
    try {
      Class.forName("javax.security.auth.kerberos.KerberosTicket", false, JaasLogin.class.getClassLoader());
      return true;
    } catch (ClassNotFoundException e) {
      return false; // a run-time image without Kerberos
    }
  }

  /**
   * Makes a builder with a login module.
   *
   * @param className the module's class, which the context class loader of the thread that calls {@link Builder#build}
   *     finds
   * @param options of the module; no message shows one
   * @return a builder
   */
  public static Builder module(String className, Map<String, ?> options) {
    Objects.requireNonNull(className, "className");
    Map<String, ?> copy = Map.copyOf(Objects.requireNonNull(options, "options"));
    return new Builder(OWN_CONTEXT, new Configuration() {
      @Override
      public AppConfigurationEntry[] getAppConfigurationEntry(String context) {
        return new AppConfigurationEntry[] {
            new AppConfigurationEntry(className, LoginModuleControlFlag.REQUIRED, copy)};
      }
    }, "login module " + className);
  }

  /**
   * Makes a builder with a login context of the JVM, which the file of {@code java.security.auth.login.config} or the
   * application configures.
   *
   * @param context its name, for example {@code KafkaClient}
   * @return a builder
   */
  public static Builder context(String context) {
    return new Builder(Objects.requireNonNull(context, "context"), null, "login context " + context);
  }

  /**
   * Makes a builder with a login context of a configuration.
   *
   * @param context the context's name
   * @param configuration has the context
   * @return a builder
   */
  public static Builder context(String context, Configuration configuration) {
    return new Builder(Objects.requireNonNull(context, "context"),
        Objects.requireNonNull(configuration, "configuration"), "login context " + context);
  }

  /**
   * Returns the lifetime of the Kerberos ticket of a Subject. {@link Builder#lifetime} uses this by default.
   *
   * @param subject of a login
   * @return null if it has no ticket-granting ticket
   */
  public static @Nullable Lifetime lifetimeOfTicket(Subject subject) {
    return HAS_KERBEROS ? KerberosTickets.lifetime(subject) : null;
  }

  /** Returns the Subject of the login. Logs in if no login is valid for a while. */
  @Override
  public Subject subject() throws IOException, InterruptedException {
    return subjects.subject();
  }

  /** Replaces credentials that expire for the next connection, at most once in 10 s. */
  @Override
  public void refused(Subject subject) {
    if (lifetime.apply(subject) != null) {
      subjects.refused(subject);
    }
  }

  /** Logs in. Called by one thread at a time. */
  private Subject fresh() throws InterruptedException {
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    thread.setContextClassLoader(loader); // JAAS loads the modules by the context class loader
    try {
      LoginContext login = new LoginContext(context, new Subject(), handler, configuration);
      login.login();
      if (Thread.interrupted()) {
        throw new InterruptedException("the login was given up");
      }
      logOut(replaced);
      replaced = latest;
      latest = login;
      return login.getSubject();
    } catch (LoginException | RuntimeException | LinkageError e) {
      if (Thread.interrupted()) {
        throw new InterruptedException("the login was given up");
      }
      throw AuthenticationException.ofForeign(this + " failed: ", e);
    } finally {
      thread.setContextClassLoader(before);
    }
  }

  private static void logOut(@Nullable LoginContext old) {
    if (old == null) {
      return;
    }
    try {
      old.logout();
    } catch (LoginException | RuntimeException e) {
      System.getLogger(JaasLogin.class.getName()).log(System.Logger.Level.DEBUG, "a logout failed", e);
    }
  }

  @Override
  public String toString() {
    return "login by " + Printable.of(name);
  }

  /** Makes a login. One thread. */
  public static final class Builder {
    private final String context;
    private final @Nullable Configuration configuration;
    private final String name;
    private CallbackHandler handler = new NoPrompts();
    private Function<Subject, @Nullable Lifetime> lifetime = JaasLogin::lifetimeOfTicket;
    private LoginRefresh refresh = LoginRefresh.DEFAULT;

    private Builder(String context, @Nullable Configuration configuration, String name) {
      this.context = context;
      this.configuration = configuration;
      this.name = name;
    }

    /**
     * Sets the handler that the login module asks for names, passwords and tokens. By default there is none, and a
     * module that asks fails.
     *
     * @param value called by the module; may block
     * @return this
     */
    public Builder callbackHandler(CallbackHandler value) {
      handler = Objects.requireNonNull(value, "value");
      return this;
    }

    /**
     * Sets the lifetime of a login's credentials. By default only Kerberos tickets expire.
     *
     * @param value called after each login; returns null if the credentials do not expire
     * @return this
     */
    public Builder lifetime(Function<Subject, @Nullable Lifetime> value) {
      lifetime = Objects.requireNonNull(value, "value");
      return this;
    }

    /**
     * Sets when credentials that expire are replaced.
     *
     * @param value {@link LoginRefresh#DEFAULT} by default
     * @return this
     */
    public Builder refresh(LoginRefresh value) {
      refresh = Objects.requireNonNull(value, "value");
      return this;
    }

    /**
     * Makes the login. The first connection logs in, unless {@link JaasLogin#subject} was called before.
     *
     * @return the login
     */
    public JaasLogin build() {
      return build(InstantSource.system());
    }

    JaasLogin build(InstantSource clock) {
      return new JaasLogin(this, clock);
    }
  }
}
