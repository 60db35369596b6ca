package dev.decant.kafka.apache;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import org.apache.kafka.common.metrics.Metrics;

/**
 * Reports the release of kafka-clients as Apache's clients do: by the metrics of the group {@code app-info}, an MBean,
 * and lines in the log. Apache's class for this has moved in 4.4, so it is looked up.
 */
final class AppInfo implements AutoCloseable {
  private static final Logger LOGGER = System.getLogger(AppInfo.class.getName());
  private static final String[] CLASSES = {"org.apache.kafka.common.utils.AppInfoParser",
      "org.apache.kafka.common.utils.internals.AppInfoParser"};

  private final String domain;
  private final String clientId;
  private final Metrics metrics;

  private AppInfo(String domain, String clientId, Metrics metrics) {
    this.domain = domain;
    this.clientId = clientId;
    this.metrics = metrics;
  }

  /** The methods of that class in this release; missing ones have no effect. */
  private static final class Parser {
    static final MethodHandle REGISTER = find("registerAppInfo",
        MethodType.methodType(void.class, String.class, String.class, Metrics.class, long.class));
    static final MethodHandle UNREGISTER = find("unregisterAppInfo",
        MethodType.methodType(void.class, String.class, String.class, Metrics.class));

    private static MethodHandle find(String name, MethodType type) {
      for (String className : CLASSES) {
        try {
          return MethodHandles.publicLookup()
              .findStatic(Class.forName(className, true, Metrics.class.getClassLoader()), name, type);
        } catch (ReflectiveOperationException e) {
          LOGGER.log(Level.TRACE, "kafka-clients has no {0}", className);
        }
      }
      return MethodHandles.empty(type);
    }
  }

  /** Registers the release; {@link #close} unregisters it. */
  static AppInfo register(String domain, String clientId, Metrics metrics, long nowMillis) {
    AppInfo registered = new AppInfo(domain, clientId, metrics);
    try {
      Parser.REGISTER.invokeExact(domain, clientId, metrics, nowMillis);
    } catch (Throwable e) { // the client works without these reports
      LOGGER.log(Level.DEBUG, "the release of kafka-clients cannot be registered", e);
    }
    return registered;
  }

  @Override
  public void close() {
    try {
      Parser.UNREGISTER.invokeExact(domain, clientId, metrics);
    } catch (Throwable e) { // the client works without these reports
      LOGGER.log(Level.DEBUG, "the release of kafka-clients cannot be unregistered", e);
    }
  }
}
