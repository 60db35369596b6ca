package dev.decant.kafka.apache;

import dev.decant.net.Printable;
import java.lang.reflect.InvocationTargetException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import javax.security.auth.login.AppConfigurationEntry;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.config.SaslConfigs;
import org.apache.kafka.common.security.JaasContext;
import org.apache.kafka.common.security.auth.AuthenticateCallbackHandler;
import org.apache.kafka.common.utils.Utils;
import org.jspecify.annotations.Nullable;

/**
 * The classes that a client's SASL settings name. Decant has mechanisms of its own instead of Apache's classes; other
 * classes run as they are.
 */
final class SaslClasses {
  private static final String LOGIN_MODULE_OF_KERBEROS = "com.sun.security.auth.module.Krb5LoginModule";
  private static final String OAUTH = "sasl.oauthbearer.jwt.";
  /** Apache's package of these classes, also in a relocated copy of kafka-clients. */
  private static final String KAFKAS = AuthenticateCallbackHandler.class.getPackageName().replaceAll("auth$", "");
  private static final List<String> MECHANISMS = List.of("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "OAUTHBEARER",
      "GSSAPI");

  private final Map<String, ?> configs;
  private final String mechanism;

  /**
   * Reads the names.
   *
   * @param configs as Apache's definition has read them
   */
  SaslClasses(Map<String, ?> configs) {
    this.configs = configs;
    Object name = configs.get(SaslConfigs.SASL_MECHANISM);
    this.mechanism = name == null ? "" : name.toString();
  }

  /** Returns the mechanism's name as the settings have it. */
  String mechanism() {
    return mechanism;
  }

  /** Returns true if some class of SASL is not Apache's, so Decant's own mechanisms would behave differently. */
  boolean areOthers() {
    Object protocol = configs.get("security.protocol");
    if (protocol == null || !protocol.toString().toUpperCase(Locale.ROOT).startsWith("SASL")) {
      return false;
    }
    return isOthers(SaslConfigs.SASL_LOGIN_CLASS) || isOthers(SaslConfigs.SASL_LOGIN_CALLBACK_HANDLER_CLASS)
        || isOthers(SaslConfigs.SASL_CLIENT_CALLBACK_HANDLER_CLASS) || isOthers(OAUTH + "retriever.class")
        || isOthers(OAUTH + "validator.class") || !MECHANISMS.contains(mechanism.toUpperCase(Locale.ROOT))
        || hasModuleOfOthers();
  }

  /** Returns true if tokens are fetched or checked by a class that is not Apache's. */
  boolean hasTokensOfOthers() {
    return isOthers(OAUTH + "retriever.class") || isOthers(OAUTH + "validator.class");
  }

  private boolean isOthers(String setting) {
    Object value = configs.get(setting);
    String name = value instanceof Class<?> type ? type.getName() : value == null ? "" : value.toString().strip();
    return !name.isEmpty() && !isApaches(name);
  }

  /**
   * Returns true if a login module is not Apache's. A text that is no JAAS entry counts as Apache's: Decant's own
   * mechanisms report it, without its content.
   */
  private boolean hasModuleOfOthers() {
    JaasContext context;
    try {
      context = JaasContext.loadClientContext(configs);
    } catch (IllegalArgumentException | SecurityException e) {
      return false;
    }
    return context.configurationEntries().stream().map(AppConfigurationEntry::getLoginModuleName)
        .anyMatch(name -> !isApaches(name) && !name.equals(LOGIN_MODULE_OF_KERBEROS));
  }

  /** Returns true for a class of kafka-clients' security packages. */
  static boolean isApaches(String className) {
    return className.startsWith(KAFKAS);
  }

  /**
   * Returns the class of a setting that is not Apache's; null for none.
   *
   * @param type its required type
   * @throws ConfigException if the class has another type
   */
  <T> @Nullable Class<? extends T> others(String setting, Class<T> type) {
    if (!isOthers(setting)) {
      return null;
    }
    if (configs.get(setting) instanceof Class<?> named && type.isAssignableFrom(named)) {
      return named.asSubclass(type);
    }
    throw new ConfigException(setting + ": " + Printable.of(nameOf(setting)) + " is no " + type.getName());
  }

  private String nameOf(String setting) {
    return configs.get(setting) instanceof Class<?> named ? named.getName() : String.valueOf(configs.get(setting));
  }

  /** Returns the login modules and their options. No error shows a part of {@code sasl.jaas.config}. */
  JaasContext jaas() {
    boolean isGiven = configs.get(SaslConfigs.SASL_JAAS_CONFIG) != null;
    try {
      return JaasContext.loadClientContext(configs);
    } catch (IllegalArgumentException | SecurityException e) {
      throw isGiven
          ? new ConfigException("sasl.jaas.config: is no entry of JAAS, or names a login module that is not allowed;"
              + " its form is: class required name=\"value\" name=\"value\";")
          : caused(new ConfigException("sasl.jaas.config: is missing, and the JVM has no login context KafkaClient: "
              + Printable.of(String.valueOf(e.getMessage()))), e);
    }
  }

  /**
   * Makes an instance of a setting's class.
   *
   * @param setting that names it
   * @param type with a constructor without parameters
   * @throws ConfigException if the class cannot be made; it names the class, and has the constructor's
   *     exception as its cause
   */
  static <T> T make(String setting, Class<? extends T> type) {
    try {
      return Utils.newInstance(type);
    } catch (RuntimeException | LinkageError e) {
      throw failed(setting, type, "cannot be made", thrown(e));
    }
  }

  /** Returns the exception of a constructor, or why it cannot be called: the cause of reflection's exception. */
  private static Throwable thrown(Throwable failure) {
    Throwable cause = failure.getCause();
    return cause instanceof InvocationTargetException && cause.getCause() != null
        ? cause.getCause()
        : cause == null ? failure : cause;
  }

  /** Returns an error of a class of a setting. */
  static ConfigException failed(String setting, Class<?> type, String what, Throwable cause) {
    return caused(new ConfigException(setting + ": " + type.getName() + " " + what + ": "
        + Printable.of(cause.toString())), cause);
  }

  private static ConfigException caused(ConfigException failure, Throwable cause) {
    failure.initCause(cause);
    return failure;
  }
}
