package dev.decant.fix.quickfix;

/** An initiator or acceptor for JMX clients. Any thread. */
public interface ConnectorMXBean {
  /**
   * Returns the role of the connector.
   *
   * @return INITIATOR or ACCEPTOR
   */
  String getRole();

  /**
   * Returns the sessions of the connector.
   *
   * @return their identities; none while the connector is stopped
   */
  String[] getSessions();

  /**
   * Returns the sessions that are logged on.
   *
   * @return their identities
   */
  String[] getLoggedOnSessions();
}
