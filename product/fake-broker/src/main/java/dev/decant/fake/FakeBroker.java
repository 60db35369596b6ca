package dev.decant.fake;

/** A broker of a fake cluster, to be killed and started again. Any thread. */
public final class FakeBroker {
  private final FakeCluster cluster;
  private final int id;

  FakeBroker(FakeCluster cluster, int id) {
    this.cluster = cluster;
    this.id = id;
  }

  /** Its node id. */
  public int id() {
    return id;
  }

  /** The port on which it listens; while it is dead that of its last life. */
  public int port() {
    return cluster.portOf(id);
  }

  /** Whether it listens. */
  public boolean isAlive() {
    return cluster.isAlive(id);
  }

  /**
   * Closes its port and its connections at once. Replicas in sync lead its partitions from now on; those that have no
   * other one have no leader. Does nothing to a dead broker.
   */
  public void kill() {
    cluster.kill(id);
  }

  /** Starts it again on the same port. Does nothing to a living broker. */
  public void restart() {
    cluster.restart(id, true);
  }

  /** Starts it again on another port, as a broker that comes back on another machine. Nothing if it lives. */
  public void restartElsewhere() {
    cluster.restart(id, false);
  }

  /** Closes its connections; clients may connect again at once. */
  public void disconnectClients() {
    cluster.disconnect(id);
  }
}
