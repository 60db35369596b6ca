package dev.decant.fix.quickfix;

import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import javax.management.StandardMBean;
import quickfix.Acceptor;
import quickfix.Connector;
import quickfix.SessionID;

/**
 * Registers initiators and acceptors with JMX, instead of {@code org.quickfixj.jmx.JmxExporter}. Decant's engine
 * provides further information and actions for operators. Any thread.
 */
public final class JmxExporter {
  private static final AtomicInteger IDS = new AtomicInteger();

  private final MBeanServer server;

  /** Uses the MBean server of the platform. */
  public JmxExporter() {
    this(ManagementFactory.getPlatformMBeanServer());
  }

  /**
   * Uses another MBean server.
   *
   * @param server the server
   */
  public JmxExporter(MBeanServer server) {
    this.server = server;
  }

  /**
   * Registers an initiator or acceptor, which may be started or not.
   *
   * @param connector a connector of this package
   * @return the name of its bean, a {@link ConnectorMXBean}
   * @throws JMException if it cannot be registered
   */
  public ObjectName register(Connector connector) throws JMException {
    String role = connector instanceof Acceptor ? "Acceptor" : "Initiator";
    ObjectName name = new ObjectName("dev.decant.fix:type=Connector,role=" + role + ",id=" + IDS.incrementAndGet());
    server.registerMBean(new StandardMBean(new Bean(connector), ConnectorMXBean.class, true), name);
    return name;
  }

  /**
   * Returns the MBean server.
   *
   * @return the server
   */
  public MBeanServer getMBeanServer() {
    return server;
  }

  /** The bean of a connector. */
  private record Bean(Connector connector) implements ConnectorMXBean {
    @Override
    public String getRole() {
      return connector instanceof Acceptor ? "ACCEPTOR" : "INITIATOR";
    }

    @Override
    public String[] getSessions() {
      return names(connector.getSessions());
    }

    @Override
    public String[] getLoggedOnSessions() {
      return names(connector.getSessions().stream().filter(id -> {
        Session session = Session.lookupSession(id);
        return session != null && session.isOpenAndLoggedOn();
      }).toList());
    }

    private static String[] names(List<SessionID> ids) {
      return ids.stream().map(SessionID::toString).sorted().toArray(String[]::new);
    }
  }
}
