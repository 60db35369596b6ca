package dev.decant.fake.cluster;

import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.loop.EventLoop;
import dev.decant.loop.Timer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The state that all brokers share. The owner of the loop is the only thread that uses it, so nothing here is locked.
 *
 * <p>The first replica of partition {@code p} of a topic, which leads it, is on the broker with index {@code p} modulo
 * the number of brokers; the other replicas follow in the order of the ids.
 */
public final class Cluster {
  private final String id;
  private final Release release;
  private final EventLoop loop;
  private final Settings settings;
  private final TreeMap<Integer, Broker> brokers = new TreeMap<>();
  private final Topics topics;
  private final LogSpace logSpace;
  private final Coordinators coordinators = new Coordinators(this);
  /** The settings at the start, for {@link #reset}. */
  private final Settings initialSettings;
  private final List<Runnable> resets = new ArrayList<>();
  /** The settings of the groups that have settings of their own, by group. */
  private final Map<String, Settings> groupSettings = new TreeMap<>();
  private final List<LongConsumer> disconnections = new ArrayList<>();
  private long nextProducerId;
  private TransactionGate transactionGate = (id, partition, batch, version) -> ErrorCode.NONE;

  /**
   * Creates a cluster without brokers and topics.
   *
   * @param release release of Kafka that it imitates
   * @param settings settings of its brokers
   * @param loop the loop that owns it
   */
  public Cluster(String id, Release release, Settings settings, EventLoop loop) {
    this.id = id;
    this.release = release;
    this.settings = settings;
    this.initialSettings = settings.copy();
    this.loop = loop;
    this.topics = new Topics(settings);
    this.logSpace = new LogSpace(topics);
  }

  /** Returns the id. */
  public String id() {
    return id;
  }

  /** Returns the release of Kafka that the cluster imitates. */
  public Release release() {
    return release;
  }

  /** Returns the settings of the brokers. */
  public Settings settings() {
    return settings;
  }

  /** Returns the settings of a group, which need not exist. */
  public Settings groupSettings(String groupId) {
    Settings known = groupSettings.get(groupId);
    return known == null ? settings.ofGroup() : known;
  }

  /** Returns the settings of a group for a change. */
  public Settings changeGroupSettings(String groupId) {
    return groupSettings.computeIfAbsent(groupId, id -> settings.ofGroup());
  }

  /** Adds a listener that takes the number of each closed connection. */
  public void onDisconnect(LongConsumer listener) {
    disconnections.add(listener);
  }

  /** Reports a closed connection to the listeners. */
  public void disconnected(long connection) {
    disconnections.forEach(listener -> listener.accept(connection));
  }

  /** Returns the topics. */
  public Topics topics() {
    return topics;
  }

  /** Returns the space that all logs share. */
  public LogSpace logSpace() {
    return logSpace;
  }

  /** Returns the coordinators of groups and transactions. */
  public Coordinators coordinators() {
    return coordinators;
  }

  /** Returns the cluster's time in milliseconds since the epoch. */
  public long nowMillis() {
    return loop.clock().epochMillis();
  }

  /** Returns the cluster's time in nanoseconds, from an arbitrary start. */
  public long nowNanos() {
    return loop.clock().nanoTime();
  }

  /** Returns the gate for batches of transactions; all pass until there is a transaction coordinator. */
  public TransactionGate transactionGate() {
    return transactionGate;
  }

  /** Sets the gate for batches of transactions. */
  public void transactionGate(TransactionGate gate) {
    transactionGate = gate;
  }

  /** Schedules a timer by the cluster's time. */
  public void schedule(Timer timer, long delayMillis) {
    loop.schedule(timer, loop.clock().nanoTime() + TimeUnit.MILLISECONDS.toNanos(Math.max(0, delayMillis)));
  }

  /** Cancels a timer. */
  public void cancel(Timer timer) {
    loop.cancel(timer);
  }

  /** Adds a task that resets the state of a part of the cluster with each {@link #reset}. */
  public void onReset(Runnable forget) {
    resets.add(forget);
  }

  /**
   * Resets all but the brokers: topics, the state of the other parts, and changes of settings. Disks have room again.
   * Producer ids are not used a second time.
   */
  public void reset() {
    resets.forEach(Runnable::run);
    List.copyOf(topics.all()).forEach(topics::delete);
    settings.become(initialSettings);
    groupSettings.clear();
    for (Broker broker : brokers.values()) {
      broker.disk(false);
      broker.logDir(false);
    }
  }

  /** Adds a broker, which is alive as soon as it listens. */
  public Broker addBroker(int brokerId, @Nullable String rack, String host) {
    Broker broker = new Broker(brokerId, rack, host);
    brokers.put(brokerId, broker);
    return broker;
  }

  /** Returns all brokers by id, also dead ones. */
  public Collection<Broker> brokers() {
    return Collections.unmodifiableCollection(brokers.values());
  }

  /** Returns the living brokers by id. */
  public List<Broker> living() {
    return brokers.values().stream().filter(Broker::isAlive).toList();
  }

  /** Returns a broker, or null. */
  public @Nullable Broker broker(int brokerId) {
    return brokers.get(brokerId);
  }

  /** Returns true if a broker is alive. */
  public boolean isAlive(int brokerId) {
    Broker broker = brokers.get(brokerId);
    return broker != null && broker.isAlive();
  }

  /** Returns true if a broker is alive with its log directory online, so that it can lead its partitions. */
  public boolean isServing(int brokerId) {
    Broker broker = brokers.get(brokerId);
    return broker != null && broker.isAlive() && !broker.isLogDirOffline();
  }

  /** Returns the broker that responses name as the controller, -1 if none is alive. */
  public int controller() {
    List<Broker> living = living();
    return living.isEmpty() ? -1 : living.getFirst().id();
  }

  /** Creates a topic whose partitions are spread over the brokers. */
  public Topic createTopic(String name, int partitions, int replication, Map<String, String> overrides) {
    return createTopic(name, placement(0, partitions, replication), overrides);
  }

  /** Creates a topic with the given replicas of each partition. */
  public Topic createTopic(String name, List<List<Integer>> replicas, Map<String, String> overrides) {
    Topic topic = topics.create(name, replicas, overrides);
    topic.partitions().forEach(this::leadByLiving);
    return topic;
  }

  /** Adds partitions to a topic, up to a total number. */
  public void addPartitions(Topic topic, int total) {
    int present = topic.partitions().size();
    int replication = topic.partitions().getFirst().replicas().size();
    addPartitions(topic, placement(present, total, replication));
  }

  /** Adds partitions with the given replicas. */
  public void addPartitions(Topic topic, List<List<Integer>> replicas) {
    int present = topic.partitions().size();
    topics.addPartitions(topic, replicas);
    topic.partitions().subList(present, topic.partitions().size()).forEach(this::leadByLiving);
  }

  /** Deletes a topic. Requests that wait for its partitions fail. */
  public void deleteTopic(Topic topic) {
    topics.delete(topic);
  }

  private void leadByLiving(Partition partition) {
    partition.begin(partition.replicas().stream().filter(this::isServing).toList());
  }

  /** Returns the replicas of partitions from one number up to, but without, another. */
  public List<List<Integer>> placement(int from, int to, int replication) {
    List<Integer> ids = List.copyOf(brokers.keySet());
    List<List<Integer>> byFirst = new ArrayList<>(); // partitions with the same first replica share their list
    for (int first = 0; first < ids.size(); first++) {
      List<Integer> replicas = new ArrayList<>();
      for (int i = 0; i < replication; i++) {
        replicas.add(ids.get((first + i) % ids.size()));
      }
      byFirst.add(List.copyOf(replicas));
    }
    List<List<Integer>> placed = new ArrayList<>(to - from);
    for (int partition = from; partition < to; partition++) {
      placed.add(byFirst.get(partition % ids.size()));
    }
    return placed;
  }

  /**
   * Handles the death of a broker, or the loss of its log directory: the next living replica in sync takes over each
   * partition that it led, and it leaves the replicas in sync.
   */
  public void brokerStopped(int brokerId) {
    for (Topic topic : topics.all()) {
      for (Partition partition : topic.partitions()) {
        loseReplica(partition, brokerId);
      }
    }
  }

  private void loseReplica(Partition partition, int brokerId) {
    if (!partition.inSync().contains(brokerId)) {
      return;
    }
    List<Integer> left = partition.inSync().stream().filter(b -> b != brokerId).toList();
    if (left.isEmpty()) { // the last replica in sync stays so: only it brings all records back
      partition.lead(Partition.NO_LEADER);
      partition.replicas().stream().filter(this::isServing).findFirst().ifPresent(b -> electUnclean(partition, b));
      return;
    }
    partition.leave(brokerId);
    partition.inSync(left);
    if (partition.leader() == brokerId) {
      partition.lead(left.getFirst());
    }
  }

  /** Handles the start of a broker: it leads partitions without a leader, and is in sync with the others at once. */
  public void brokerStarted(int brokerId) {
    for (Topic topic : topics.all()) {
      for (Partition partition : topic.partitions()) {
        if (partition.replicas().contains(brokerId)) {
          regainReplica(partition, brokerId);
          if (partition.isReassigning()) {
            endIfDone(partition);
          }
        }
      }
    }
  }

  /**
   * Makes a living broker the leader of a partition. Living replicas that had no leader to copy from are in sync again.
   */
  public void lead(Partition partition, int brokerId) {
    partition.join(brokerId);
    partition.lead(brokerId);
    partition.replicas().stream().filter(this::isServing).forEach(partition::join);
  }

  /**
   * Moves a partition to other replicas (KIP-455). Living replicas have all records at once. The move ends when all new
   * replicas are in sync.
   */
  public void reassign(Partition partition, List<Integer> target) {
    partition.beginReassignment(target);
    if (partition.leader() != Partition.NO_LEADER) {
      partition.addingReplicas().stream().filter(this::isServing).forEach(partition::join);
    }
    endIfDone(partition);
  }

  /** Ends a reassignment whose new replicas are in sync, if a replica that stays can lead. */
  private void endIfDone(Partition partition) {
    List<Integer> gone = partition.removingReplicas();
    if (partition.inSync().containsAll(partition.addingReplicas()) && !gone.containsAll(partition.inSync())) {
      endReassignment(partition, gone);
    }
  }

  /** Cancels a reassignment and removes the replicas that it has added. */
  public void cancelReassignment(Partition partition) {
    endReassignment(partition, partition.addingReplicas());
  }

  private void endReassignment(Partition partition, List<Integer> gone) {
    partition.endReassignment(gone);
    if (gone.contains(partition.leader())) {
      partition.lead(partition.replicas().stream().filter(b -> partition.inSync().contains(b) && isServing(b))
          .findFirst().orElse(Partition.NO_LEADER));
    } else if (!gone.isEmpty()) {
      partition.bumpEpoch();
    }
  }

  /** Fills the disk of a broker: the first append to one of its partitions takes its log directory offline. */
  public void fillDisk(Broker broker) {
    broker.disk(true);
  }

  /** Frees the disk of a broker, and takes its log directory online. */
  public void freeDisk(Broker broker) {
    broker.disk(false);
    if (broker.isLogDirOffline()) {
      broker.logDir(false);
      if (broker.isAlive()) {
        brokerStarted(broker.id());
      }
    }
  }

  /**
   * Returns true if the leader of a partition has room for a batch. With a full disk, this attempt takes the log
   * directory offline, and other replicas in sync lead its partitions (KIP-112).
   */
  public boolean hasRoom(Partition partition) {
    Broker leader = brokers.get(partition.leader());
    if (leader == null || !leader.isDiskFull()) {
      return true;
    }
    leader.logDir(true);
    brokerStopped(leader.id());
    return false;
  }

  private void regainReplica(Partition partition, int brokerId) {
    if (partition.leader() == Partition.NO_LEADER && partition.inSync().contains(brokerId)) {
      lead(partition, brokerId);
    } else if (!partition.inSync().contains(brokerId)) {
      if (partition.leader() == Partition.NO_LEADER) {
        electUnclean(partition, brokerId);
      } else {
        partition.join(brokerId);
      }
    }
  }

  /** Elects a leader that is not in sync, if the topic allows it: records that it has not copied are lost. */
  private void electUnclean(Partition partition, int brokerId) {
    if (partition.topic().settings().getBoolean("unclean.leader.election.enable")) {
      partition.truncate(partition.endAt(brokerId));
      partition.inSync(List.of(brokerId));
      lead(partition, brokerId);
    }
  }

  /** Returns a new producer id. */
  public long newProducerId() {
    return nextProducerId++;
  }

  /** Deletes the records beyond the retention of all logs. */
  public void applyRetention() {
    for (Topic topic : topics.all()) {
      topic.partitions().forEach(partition -> partition.applyRetention(nowMillis()));
    }
  }

  /** Starts the periodic tasks of brokers: retention, and the expiry of producers. */
  public void beginHousekeeping() {
    new Housekeeping(this).begin();
  }

  /** Frees native memory, after the owner has ended. */
  public void freeMemory() {
    topics.close();
  }

  /** Returns a random cluster id, in the form of Kafka's tools. */
  public static String randomId() {
    return Topics.newId().toString(); // UUID.randomUUID() would make a JVM load its security providers
  }
}
