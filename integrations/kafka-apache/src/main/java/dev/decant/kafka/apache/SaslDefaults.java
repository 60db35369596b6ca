package dev.decant.kafka.apache;

import dev.decant.kafka.security.JaasLogin;
import dev.decant.kafka.security.LoginRefresh;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.Map;
import javax.security.auth.Subject;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.config.SaslConfigs;
import org.apache.kafka.common.security.JaasContext;
import org.apache.kafka.common.security.auth.AuthenticateCallbackHandler;
import org.apache.kafka.common.security.oauthbearer.OAuthBearerToken;
import org.jspecify.annotations.Nullable;

/** Defaults for classes and settings of a login that the application does not set. Stateless. */
final class SaslDefaults {
  private static final String OAUTH = AuthenticateCallbackHandler.class.getPackageName().replaceAll("auth$",
      "oauthbearer.");
  private static final String REFRESH = "sasl.login.refresh.";
  private static final String RENEW = "sasl.kerberos.ticket.renew.";

  private SaslDefaults() {}

  /**
   * Returns the login callback handler if the settings name none, or one of Apache's. For OAUTHBEARER it calls a token
   * endpoint or the classes of the settings, or makes tokens for tests.
   */
  static Class<? extends AuthenticateCallbackHandler> handler(SaslClasses classes, Map<String, ?> configs) {
    if (!classes.mechanism().equals("OAUTHBEARER")) {
      return LoginCallbacks.class;
    }
    Object named = configs.get(SaslConfigs.SASL_LOGIN_CALLBACK_HANDLER_CLASS);
    if (named instanceof Class<?> type && AuthenticateCallbackHandler.class.isAssignableFrom(type)) {
      return type.asSubclass(AuthenticateCallbackHandler.class);
    }
    boolean fetches = classes.hasTokensOfOthers() || configs.get("sasl.oauthbearer.token.endpoint.url") != null;
    return ofApache(fetches
        ? OAUTH + "OAuthBearerLoginCallbackHandler"
        : OAUTH + "internals.unsecured.OAuthBearerUnsecuredLoginCallbackHandler");
  }

  private static Class<? extends AuthenticateCallbackHandler> ofApache(String name) {
    try {
      return Class.forName(name, false, AuthenticateCallbackHandler.class.getClassLoader())
          .asSubclass(AuthenticateCallbackHandler.class);
    } catch (ClassNotFoundException e) {
      ConfigException missing = new ConfigException(SaslConfigs.SASL_LOGIN_CALLBACK_HANDLER_CLASS + ": set it; this"
          + " release of kafka-clients has no " + name);
      missing.initCause(e);
      throw missing;
    }
  }

  /** Returns how long OAUTHBEARER tokens and Kerberos tickets are valid; null for credentials that do not expire. */
  static JaasLogin.@Nullable Lifetime lifetime(Subject subject) {
    OAuthBearerToken token = subject.getPrivateCredentials(OAuthBearerToken.class).stream()
        .max(Comparator.comparingLong(OAuthBearerToken::lifetimeMs)).orElse(null);
    if (token == null) {
      return JaasLogin.lifetimeOfTicket(subject);
    }
    Long start = token.startTimeMs();
    return new JaasLogin.Lifetime(start == null ? Instant.now() : Instant.ofEpochMilli(start),
        Instant.ofEpochMilli(token.lifetimeMs()));
  }

  /** Returns when to log in again; Apache's definition has checked the values. */
  static LoginRefresh refresh(String mechanism, Map<String, ?> configs) {
    if (mechanism.equals("GSSAPI")) { // its settings have wider bounds
      return LoginRefresh.builder().buffer(Duration.ZERO)
          .windowFactor(Math.clamp(number(configs, RENEW + "window.factor", 0.8), 0.5, 1))
          .windowJitter(Math.clamp(number(configs, RENEW + "jitter", 0.05), 0, 0.25)).build();
    }
    return LoginRefresh.builder()
        .windowFactor(number(configs, REFRESH + "window.factor", 0.8))
        .windowJitter(number(configs, REFRESH + "window.jitter", 0.05))
        .minPeriod(Duration.ofSeconds((long) number(configs, REFRESH + "min.period.seconds", 60)))
        .buffer(Duration.ofSeconds((long) number(configs, REFRESH + "buffer.seconds", 300)))
        .build();
  }

  private static double number(Map<String, ?> configs, String name, double otherwise) {
    return configs.get(name) instanceof Number number ? number.doubleValue() : otherwise;
  }

  /** Returns the first part of the brokers' principals; {@code kafka} for mechanisms other than Kerberos. */
  static String serviceName(String mechanism, JaasContext jaas, Map<String, ?> configs) {
    if (!mechanism.equals("GSSAPI")) {
      return "kafka";
    }
    Object name = configs.get(SaslConfigs.SASL_KERBEROS_SERVICE_NAME);
    String option = JaasContext.configEntryOption(jaas.configurationEntries(), "serviceName", null);
    if (name == null && option == null) {
      throw new ConfigException(SaslConfigs.SASL_KERBEROS_SERVICE_NAME + ": is missing; set the first part of the"
          + " brokers' principals, such as kafka of kafka/host@REALM");
    }
    return name == null ? option : name.toString();
  }
}
