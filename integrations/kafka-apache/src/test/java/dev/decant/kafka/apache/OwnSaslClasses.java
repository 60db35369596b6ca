package dev.decant.kafka.apache;

import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import javax.security.auth.Subject;
import javax.security.auth.callback.Callback;
import javax.security.auth.callback.NameCallback;
import javax.security.auth.callback.PasswordCallback;
import javax.security.auth.login.AppConfigurationEntry;
import javax.security.auth.login.Configuration;
import javax.security.auth.login.LoginContext;
import javax.security.auth.login.LoginException;
import org.apache.kafka.common.security.auth.AuthenticateCallbackHandler;
import org.apache.kafka.common.security.auth.Login;
import org.apache.kafka.common.security.auth.SaslExtensions;
import org.apache.kafka.common.security.auth.SaslExtensionsCallback;
import org.apache.kafka.common.security.oauthbearer.OAuthBearerToken;
import org.apache.kafka.common.security.oauthbearer.OAuthBearerTokenCallback;
import org.jspecify.annotations.Nullable;

/**
 * An application's security classes, which record their calls. The settings {@code acme.*}, which Kafka does not know,
 * control them.
 */
final class OwnSaslClasses {
  /** The calls in order: class, method and details. */
  static final List<String> TOLD = new CopyOnWriteArrayList<>();
  static final AtomicInteger TOKENS = new AtomicInteger();
  /** Clients whose loaded classes are compared. */
  static final Set<ClassLoader> LOADERS = ConcurrentHashMap.newKeySet();
  static final String SECRET = "planted-osprey-5e1c";

  private OwnSaslClasses() {}

  static void forget() {
    TOLD.clear();
    TOKENS.set(0);
    LOADERS.clear();
  }

  private static String what(Map<String, ?> configs, String name) {
    return String.valueOf(configs.get("acme." + name));
  }

  /** A handler that records its configuration. */
  abstract static class Handler implements AuthenticateCallbackHandler {
    Map<String, ?> configs = Map.of();

    @Override
    public void configure(Map<String, ?> given, String mechanism, List<AppConfigurationEntry> entries) {
      configs = Map.copyOf(given.entrySet().stream().filter(e -> e.getValue() != null)
          .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue)));
      AppConfigurationEntry entry = entries.getFirst();
      TOLD.add(getClass().getSimpleName() + " configured for " + mechanism + " with "
          + entry.getLoginModuleName().replaceAll(".*[.]", "") + new HashSet<>(entry.getOptions().keySet())
          + ", acme.team="
          + given.get("acme.team") + ", servers="
          + Objects.requireNonNull(given.get("bootstrap.servers")).getClass().getSimpleName());
      if (what(given, "fails").equals(getClass().getSimpleName() + ".configure")) {
        throw new IllegalArgumentException("acme.team is unknown");
      }
    }

    /** Throws if the settings say so. */
    void mayFail() throws IOException {
      if (what(configs, "fails").equals(getClass().getSimpleName() + ".handle")) {
        throw new IOException("the metadata service is away");
      }
    }

    @Override
    public void close() {
      TOLD.add(getClass().getSimpleName() + " closed");
    }
  }

  /** Supplies tokens, as those of clouds do. */
  public static final class TokenHandler extends Handler {
    @Override
    public void handle(Callback[] callbacks) throws IOException {
      mayFail();
      LOADERS.add(Thread.currentThread().getContextClassLoader());
      for (Callback callback : callbacks) {
        if (callback instanceof OAuthBearerTokenCallback token) {
          token.token(token(TOKENS.incrementAndGet()));
        } else if (callback instanceof SaslExtensionsCallback extensions) {
          extensions.extensions(new SaslExtensions(Map.of("tenant", "acme")));
        }
      }
    }

    private OAuthBearerToken token(int number) {
      long now = System.currentTimeMillis();
      long age = configs.containsKey("acme.age.ms") ? Long.parseLong(what(configs, "age.ms")) : 0;
      return token(SECRET + "." + number, now - age, now + 3_600_000);
    }

    static OAuthBearerToken token(String value, long start, long end) {
      return new OAuthBearerToken() {
        @Override
        public String value() {
          return value;
        }

        @Override
        public Set<String> scope() {
          return Set.of();
        }

        @Override
        public long lifetimeMs() {
          return end;
        }

        @Override
        public String principalName() {
          return "alice";
        }

        @Override
        public Long startTimeMs() {
          return start;
        }
      };
    }
  }

  /** Supplies a name and a password to the mechanism. */
  public static final class NameHandler extends Handler {
    @Override
    public void handle(Callback[] callbacks) throws IOException {
      mayFail();
      for (Callback callback : callbacks) {
        if (callback instanceof NameCallback name) {
          name.setName("carol");
        } else if (callback instanceof PasswordCallback password) {
          password.setPassword(SECRET.toCharArray());
        }
      }
    }
  }

  /** Has no accessible constructor. */
  public static final class HiddenHandler extends Handler {
    private HiddenHandler() {}

    @Override
    public void handle(Callback[] callbacks) {}
  }

  /** A class whose library is not on the class path. */
  public static final class HandlerWithoutItsLibrary extends Handler {
    /** Made by its name. */
    public HandlerWithoutItsLibrary() {
      throw new NoClassDefFoundError("com/acme/Sdk");
    }

    @Override
    public void handle(Callback[] callbacks) {}
  }

  /** A login that logs in by JAAS once and keeps the Subject. */
  public static final class OwnLogin implements Login {
    private Map<String, ?> configs = Map.of();
    private String context = "";
    private @Nullable Configuration jaas;
    private AuthenticateCallbackHandler handler = new NameHandler();
    private Subject subject = new Subject();

    @Override
    public void configure(Map<String, ?> given, String contextName, Configuration configuration,
        AuthenticateCallbackHandler loginHandler) {
      configs = given;
      context = contextName;
      jaas = configuration;
      handler = loginHandler;
      TOLD.add("OwnLogin configured for " + contextName + ", acme.team=" + given.get("acme.team"));
    }

    @Override
    public LoginContext login() throws LoginException {
      TOLD.add("OwnLogin logs in");
      if (what(configs, "fails").equals("OwnLogin.login")) {
        throw new LoginException("the vault is sealed");
      }
      LoginContext login = new LoginContext(context, null, handler, jaas);
      login.login();
      subject = login.getSubject();
      return login;
    }

    @Override
    public Subject subject() {
      return subject;
    }

    @Override
    public String serviceName() {
      return "stream";
    }

    @Override
    public void close() {
      TOLD.add("OwnLogin closed");
    }
  }
}
