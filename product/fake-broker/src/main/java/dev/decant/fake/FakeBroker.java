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

  /**
   * Puts another broker of the same id in its place, at another port: kills it if it lives, and starts it there. It has
   * all records that are replicated.
   */
  public void replace() {
    cluster.kill(id);
    cluster.restart(id, false);
  }

  /**
   * Has its disk full, until {@link #freeDisk}. The first write to one of its partitions takes its log directory
   * offline, as in Kafka: it answers {@code KAFKA_STORAGE_ERROR} for all of them, and other replicas in sync lead them.
   * A partition without such a replica has no leader.
   */
  public void fillDisk() {
    cluster.fillDisk(id, true);
  }

  /** Has its disk have room again; its log directory is online with all that is replicated. */
  public void freeDisk() {
    cluster.fillDisk(id, false);
  }

  /** Closes its connections; clients may connect again at once. */
  public void disconnectClients() {
    cluster.disconnect(id);
  }
}
