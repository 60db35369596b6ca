package dev.decant.fake.security;

import dev.decant.fake.cluster.Cluster;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The sessions of all connections, by the connections' numbers. Owner of the loop only. */
public final class ClientSessions {
  /** The principal of clients without a login or certificate. */
  public static final String ANONYMOUS = "User:ANONYMOUS";

  private final Cluster cluster;
  private final Logins logins;
  private final AccessRules rules;
  private final Map<Long, ClientSession> sessions = new HashMap<>();

  public ClientSessions(Cluster cluster, Logins logins, AccessRules rules) {
    this.cluster = cluster;
    this.logins = logins;
    this.rules = rules;
  }

  /** Returns true if clients must log in. */
  public boolean needLogins() {
    return logins.areNeeded();
  }

  /**
   * Starts the session of a connection.
   *
   * @param connection number of the connection
   * @param principal principal of the client without a login
   * @param host address of the client, as rules name it
   */
  public ClientSession begin(long connection, String principal, String host) {
    ClientSession session = new ClientSession(cluster, logins, rules, principal, host);
    sessions.put(connection, session);
    return session;
  }

  /** Ends a session. */
  public void end(long connection) {
    sessions.remove(connection);
  }

  @Nullable
  ClientSession of(long connection) {
    return sessions.get(connection);
  }
}
