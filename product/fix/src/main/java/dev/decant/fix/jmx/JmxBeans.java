package dev.decant.fix.jmx;

import dev.decant.fix.FixSession;
import java.lang.management.ManagementFactory;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import javax.management.InstanceAlreadyExistsException;
import javax.management.InstanceNotFoundException;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;

/**
 * The MXBeans of one engine: {@code dev.decant.fix:type=Engine,name="fix"}, and for each session
 * {@code dev.decant.fix:type=Session,engine="fix",name="FIX.4.4:SENDER->TARGET"}. The name of a second engine with the
 * same name ends with {@code -2}. Any thread.
 */
public final class JmxBeans implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger(JmxBeans.class.getName());
  private static final String DOMAIN = "dev.decant.fix:";
  private static final int MOST_ENGINES = 1_000;

  private final MBeanServer server = ManagementFactory.getPlatformMBeanServer();
  private final String engineName;
  private final ObjectName engine;
  /** Guarded by the monitor of this. */
  private final Map<FixSession, ObjectName> sessions = new HashMap<>();
  private boolean closed;

  private JmxBeans(Supplier<List<FixSession>> sessions, String name) throws JMException {
    this.engineName = register(new EngineBean(sessions), name);
    this.engine = objectName(engineName);
  }

  private static ObjectName objectName(String engineName) throws JMException {
    return new ObjectName(DOMAIN + "type=Engine,name=" + ObjectName.quote(engineName));
  }

  /** Registers an engine under its name, or under the first free one with a number. Returns the name used. */
  private String register(EngineBean bean, String name) throws JMException {
    for (int number = 1;; number++) {
      String tried = number == 1 ? name : name + '-' + number;
      try {
        server.registerMBean(bean, objectName(tried));
        return tried;
      } catch (InstanceAlreadyExistsException e) {
        if (number == MOST_ENGINES) {
          throw e;
        }
      }
    }
  }

  /**
   * Registers an engine with the platform's MBean server.
   *
   * @param sessions returns the sessions of the engine, which {@link #add} registers one by one
   * @param name the name of the engine
   * @return a registration whose close removes all beans
   * @throws IllegalStateException if the module {@code java.management} is missing, or the engine cannot be registered
   */
  public static JmxBeans open(Supplier<List<FixSession>> sessions, String name) {
    try {
      return new JmxBeans(sessions, name);
    } catch (JMException e) {
      throw new IllegalStateException("the engine cannot be registered with JMX: " + e, e);
    }
  }

  /**
   * Registers a session. A failure is logged: the session then runs without a bean.
   *
   * @param session a session of the engine
   */
  public synchronized void add(FixSession session) {
    if (closed || sessions.containsKey(session)) {
      return;
    }
    try {
      ObjectName name = new ObjectName(DOMAIN + "type=Session,engine=" + ObjectName.quote(engineName) + ",name="
          + ObjectName.quote(session.id().toString()));
      server.registerMBean(new DescribedBean(new SessionBean(session)), name);
      sessions.put(session, name);
    } catch (JMException | RuntimeException e) {
      LOG.log(System.Logger.Level.WARNING, "session " + session + " cannot be registered with JMX: " + e);
    }
  }

  /**
   * Unregisters a session.
   *
   * @param session a session of the engine; one that is not registered is ignored
   */
  public synchronized void remove(FixSession session) {
    ObjectName name = sessions.remove(session);
    if (name != null) {
      unregister(name);
    }
  }

  @Override
  public synchronized void close() {
    if (!closed) {
      closed = true;
      sessions.values().forEach(this::unregister);
      sessions.clear();
      unregister(engine);
    }
  }

  private void unregister(ObjectName name) {
    try {
      server.unregisterMBean(name);
    } catch (InstanceNotFoundException e) {
      // Other code has unregistered it.
    } catch (JMException | RuntimeException e) {
      LOG.log(System.Logger.Level.WARNING, name + " cannot be unregistered from JMX: " + e);
    }
  }
}
