package dev.decant.fake;

/** A broker of a fake cluster, which a test can kill and start again. Any thread. */
public final class FakeBroker {
  private final FakeCluster cluster;
  private final int id;

  FakeBroker(FakeCluster cluster, int id) {
    this.cluster = cluster;
    this.id = id;
  }

  /** Returns the node id. */
  public int id() {
    return id;
  }

  /** Returns the port on which the broker listens; for a dead broker, the port on which it listened last. */
  public int port() {
    return cluster.portOf(id);
  }

  /** Returns true if the broker listens. */
  public boolean isAlive() {
    return cluster.isAlive(id);
  }

  /**
   * Closes the broker's port and connections at once. Other replicas in sync then lead its partitions; a partition
   * without another one has no leader. Does nothing to a dead broker.
   */
  public void kill() {
    cluster.kill(id);
  }

  /** Starts the broker again on the same port. Does nothing to a living broker. */
  public void restart() {
    cluster.restart(id, true);
  }

  /** Starts the broker again on another port, as after a move to another machine. Does nothing to a living broker. */
  public void restartElsewhere() {
    cluster.restart(id, false);
  }

  /**
   * Replaces the broker by another one with the same id on another port. A living broker is killed first. The new
   * broker has all replicated records.
   */
  public void replace() {
    cluster.kill(id);
    cluster.restart(id, false);
  }

  /**
   * Fills the broker's disk, until {@link #freeDisk}. The first write to one of its partitions takes its log directory
   * offline, as in Kafka: the broker responds {@code KAFKA_STORAGE_ERROR} for all of them, and other replicas in sync
   * lead them. A partition without another replica in sync has no leader.
   */
  public void fillDisk() {
    cluster.fillDisk(id, true);
  }

  /** Frees the broker's disk. Its log directory is online again, with all replicated records. */
  public void freeDisk() {
    cluster.fillDisk(id, false);
  }

  /** Closes the broker's connections; clients may connect again at once. */
  public void disconnectClients() {
    cluster.disconnect(id);
  }
}
