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
 * The classes that a client's settings of SASL name, and whose they are. Decant has mechanisms of its own for what
 * Apache's classes do; classes of others run as they are.
 */
final class SaslClasses {
  private static final String LOGIN_MODULE_OF_KERBEROS = "com.sun.security.auth.module.Krb5LoginModule";
  private static final String OAUTH = "sasl.oauthbearer.jwt.";
  /** Apache's package of these classes, also in a copy of kafka-clients under another name. */
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

  /** As it was written. */
  String mechanism() {
    return mechanism;
  }

  /** Returns true if something of SASL is not Apache's, so that Decant's own mechanisms would do something else. */
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

  /** What is no entry of JAAS is an error of Decant's own mechanisms, without the text. */
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

  /** Returns true if a class is one of kafka-clients' security. */
  static boolean isApaches(String className) {
    return className.startsWith(KAFKAS);
  }

  /**
   * Returns the class of a setting that is not Apache's.
   *
   * @param setting its name
   * @param type what it has to be
   * @return null if there is none, or one of Apache's
   * @throws ConfigException if it is something else
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
   * Returns an instance of a class of a setting.
   *
   * @param setting that names it
   * @param type with a constructor without parameters
   * @throws ConfigException if the class cannot be made; it names the class, and has what was thrown as its cause
   */
  static <T> T make(String setting, Class<? extends T> type) {
    try {
      return Utils.newInstance(type);
    } catch (RuntimeException | LinkageError e) {
      throw failed(setting, type, "cannot be made", thrown(e));
    }
  }

  /** What a constructor has thrown, or why it cannot be called: the cause within what reflection throws. */
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
