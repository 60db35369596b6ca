package dev.decant.fix.quickfix;

/** An initiator or acceptor, for JMX. Any thread. */
public interface ConnectorMXBean {
  /**
   * What it does.
   *
   * @return INITIATOR or ACCEPTOR
   */
  String getRole();

  /**
   * The sessions.
   *
   * @return their identities; none while the connector is stopped
   */
  String[] getSessions();

  /**
   * The sessions whose messages go to their counterparties.
   *
   * @return their identities
   */
  String[] getLoggedOnSessions();
}
