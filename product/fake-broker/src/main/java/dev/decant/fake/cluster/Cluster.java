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
 * The state that all brokers share. One thread owns it, the owner of the loop, so nothing here is locked.
 *
 * <p>Partition {@code p} of a topic has its first replica, which leads it, on the broker with index {@code p} modulo
 * the number of brokers; the others follow in the order of the ids.
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
  /** Settings of the groups that have any of their own. */
  private final Map<String, Settings> groupSettings = new TreeMap<>();
  private final List<LongConsumer> disconnections = new ArrayList<>();
  private long nextProducerId;
  private TransactionGate transactionGate = (id, partition, batch, version) -> ErrorCode.NONE;

  /**
   * Creates a cluster without brokers and topics.
   *
   * @param id its id
   * @param release the release of Kafka that it plays
   * @param settings those of its brokers
   * @param loop what owns it
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

  /** Its id. */
  public String id() {
    return id;
  }

  /** The release of Kafka that it plays. */
  public Release release() {
    return release;
  }

  /** The settings of its brokers. */
  public Settings settings() {
    return settings;
  }

  /** The settings of a group, which need not exist. */
  public Settings groupSettings(String groupId) {
    Settings known = groupSettings.get(groupId);
    return known == null ? settings.ofGroup() : known;
  }

  /** The settings of a group, to be changed. */
  public Settings changeGroupSettings(String groupId) {
    return groupSettings.computeIfAbsent(groupId, id -> settings.ofGroup());
  }

  /** Has a listener hear the number of each connection that ends. */
  public void onDisconnect(LongConsumer listener) {
    disconnections.add(listener);
  }

  /** A connection has ended. */
  public void disconnected(long connection) {
    disconnections.forEach(listener -> listener.accept(connection));
  }

  /** Its topics. */
  public Topics topics() {
    return topics;
  }

  /** The room that all logs have together. */
  public LogSpace logSpace() {
    return logSpace;
  }

  /** Which broker coordinates which group or transaction. */
  public Coordinators coordinators() {
    return coordinators;
  }

  /** The time of the cluster in milliseconds since the epoch. */
  public long nowMillis() {
    return loop.clock().epochMillis();
  }

  /** The time of the cluster in nanoseconds, from an unknown beginning. */
  public long nowNanos() {
    return loop.clock().nanoTime();
  }

  /** What batches of transactions have to pass; all may until there is a transaction coordinator. */
  public TransactionGate transactionGate() {
    return transactionGate;
  }

  /** Has batches of transactions pass a gate from now on. */
  public void transactionGate(TransactionGate gate) {
    transactionGate = gate;
  }

  /** Has a timer fire after so many milliseconds of the cluster's time. */
  public void schedule(Timer timer, long delayMillis) {
    loop.schedule(timer, loop.clock().nanoTime() + TimeUnit.MILLISECONDS.toNanos(Math.max(0, delayMillis)));
  }

  /** Has a timer fire no more. */
  public void cancel(Timer timer) {
    loop.cancel(timer);
  }

  /** Has a part of the cluster forget its state with each {@link #reset}. */
  public void onReset(Runnable forget) {
    resets.add(forget);
  }

  /**
   * Forgets all but the brokers: topics, what the other parts have, and changes of settings. Disks have room again.
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

  /** Adds a broker, which lives as soon as it listens. */
  public Broker addBroker(int brokerId, @Nullable String rack, String host) {
    Broker broker = new Broker(brokerId, rack, host);
    brokers.put(brokerId, broker);
    return broker;
  }

  /** All brokers, dead ones too, by id. */
  public Collection<Broker> brokers() {
    return Collections.unmodifiableCollection(brokers.values());
  }

  /** The brokers that live, by id. */
  public List<Broker> living() {
    return brokers.values().stream().filter(Broker::isAlive).toList();
  }

  /** A broker, or null. */
  public @Nullable Broker broker(int brokerId) {
    return brokers.get(brokerId);
  }

  /** Whether a broker lives. */
  public boolean isAlive(int brokerId) {
    Broker broker = brokers.get(brokerId);
    return broker != null && broker.isAlive();
  }

  /** Whether a broker lives and has its log directory, so that it can lead what it has. */
  public boolean isServing(int brokerId) {
    Broker broker = brokers.get(brokerId);
    return broker != null && broker.isAlive() && !broker.isLogDirOffline();
  }

  /** The broker that clients are told to be the controller, -1 if none lives. */
  public int controller() {
    List<Broker> living = living();
    return living.isEmpty() ? -1 : living.getFirst().id();
  }

  /** Makes a topic whose partitions are spread over the brokers. */
  public Topic createTopic(String name, int partitions, int replication, Map<String, String> overrides) {
    return createTopic(name, placement(0, partitions, replication), overrides);
  }

  /** Makes a topic whose partitions have the replicas that are given. */
  public Topic createTopic(String name, List<List<Integer>> replicas, Map<String, String> overrides) {
    Topic topic = topics.create(name, replicas, overrides);
    topic.partitions().forEach(this::leadByLiving);
    return topic;
  }

  /** Adds partitions to a topic until it has so many. */
  public void addPartitions(Topic topic, int total) {
    int present = topic.partitions().size();
    int replication = topic.partitions().getFirst().replicas().size();
    addPartitions(topic, placement(present, total, replication));
  }

  /** Adds partitions with the replicas that are given. */
  public void addPartitions(Topic topic, List<List<Integer>> replicas) {
    int present = topic.partitions().size();
    topics.addPartitions(topic, replicas);
    topic.partitions().subList(present, topic.partitions().size()).forEach(this::leadByLiving);
  }

  /** Deletes a topic. Requests that wait for its partitions are refused. */
  public void deleteTopic(Topic topic) {
    topics.delete(topic);
  }

  private void leadByLiving(Partition partition) {
    partition.begin(partition.replicas().stream().filter(this::isServing).toList());
  }

  /** Replicas for partitions from a number up to, but without, another. */
  public List<List<Integer>> placement(int from, int to, int replication) {
    List<Integer> ids = List.copyOf(brokers.keySet());
    List<List<Integer>> byFirst = new ArrayList<>(); // partitions that begin with the same broker share their list
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
   * A broker has died, or lost its log directory: the next living replica in sync leads what it led; the others lose it
   * from those in sync.
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
    if (left.isEmpty()) { // the last one in sync stays so: with it come all records back
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

  /** A broker lives again: it leads what nobody leads, and is in sync with the others at once. */
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

  /** Has a living broker lead a partition. Living replicas that had no leader to copy from are in sync again. */
  public void lead(Partition partition, int brokerId) {
    partition.join(brokerId);
    partition.lead(brokerId);
    partition.replicas().stream().filter(this::isServing).forEach(partition::join);
  }

  /**
   * Moves a partition to other replicas (KIP-455). Replicas that live have all records at once. The move ends when all
   * those that are new are in sync.
   */
  public void reassign(Partition partition, List<Integer> target) {
    partition.beginReassignment(target);
    if (partition.leader() != Partition.NO_LEADER) {
      partition.addingReplicas().stream().filter(this::isServing).forEach(partition::join);
    }
    endIfDone(partition);
  }

  /** Ends a reassignment whose new replicas are in sync, if one of those that stay can lead. */
  private void endIfDone(Partition partition) {
    List<Integer> gone = partition.removingReplicas();
    if (partition.inSync().containsAll(partition.addingReplicas()) && !gone.containsAll(partition.inSync())) {
      endReassignment(partition, gone);
    }
  }

  /** Cancels a reassignment: the replicas that it has added go. */
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

  /** Has the disk of a broker full: the first append to one of its partitions takes its log directory offline. */
  public void fillDisk(Broker broker) {
    broker.disk(true);
  }

  /** Has the disk of a broker have room again, and its log directory be online. */
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
   * Whether the leader of a partition has room for a batch. If its disk is full, its log directory goes offline with
   * the attempt, and other replicas in sync lead what it led (KIP-112).
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

  /** Has a replica lead that is not in sync, if the topic says so: what it has not copied is lost. */
  private void electUnclean(Partition partition, int brokerId) {
    if (partition.topic().settings().getBoolean("unclean.leader.election.enable")) {
      partition.truncate(partition.endAt(brokerId));
      partition.inSync(List.of(brokerId));
      lead(partition, brokerId);
    }
  }

  /** A new producer id. */
  public long newProducerId() {
    return nextProducerId++;
  }

  /** Deletes what is too old or too much in all logs. */
  public void applyRetention() {
    for (Topic topic : topics.all()) {
      topic.partitions().forEach(partition -> partition.applyRetention(nowMillis()));
    }
  }

  /** Begins what brokers do from time to time: retention, and the expiry of producers. */
  public void beginHousekeeping() {
    new Housekeeping(this).begin();
  }

  /** Gives native memory back, after the owner has ended. */
  public void freeMemory() {
    topics.close();
  }

  /** A random id of a cluster, as Kafka's tools write it. */
  public static String randomId() {
    return Topics.newId().toString(); // UUID.randomUUID() has a JVM load its security providers
  }
}
