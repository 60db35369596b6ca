package dev.decant.fake;

import dev.decant.fake.api.Api;
import dev.decant.fake.api.ApiTable;
import dev.decant.fake.api.StandardApis;
import dev.decant.fake.cluster.Broker;
import dev.decant.fake.cluster.Cluster;
import dev.decant.fake.cluster.ClusterClock;
import dev.decant.fake.cluster.ClusterSnapshot;
import dev.decant.fake.cluster.Coordinators;
import dev.decant.fake.cluster.Partition;
import dev.decant.fake.cluster.Topic;
import dev.decant.fake.cluster.Topics;
import dev.decant.fake.fault.FaultRules;
import dev.decant.fake.group.GroupApis;
import dev.decant.fake.group.GroupCoordinator;
import dev.decant.fake.journal.Journal;
import dev.decant.fake.journal.JournalEntry;
import dev.decant.fake.log.PartitionLog;
import dev.decant.fake.net.ClusterServer;
import dev.decant.fake.share.ShareApis;
import dev.decant.fake.share.ShareGroups;
import dev.decant.fake.transaction.TransactionApis;
import dev.decant.fake.transaction.TransactionCoordinator;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ProtocolReader;
import dev.decant.kafka.record.UnsupportedCompressionException;
import dev.decant.loop.EventLoop;
import dev.decant.net.MemoryNetwork;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * A Kafka cluster in the process of a test. Its brokers listen on loopback ports and speak Kafka's protocol, so clients
 * of any language use it like a real cluster. With {@link FakeClusterBuilder#inMemory} Decant's clients reach the
 * brokers without ports. Logs are in memory. A test injects faults, moves the clock, and sees each request and record.
 *
 * <pre>
 * try (FakeCluster kafka = FakeCluster.builder().brokers(3).topic("orders", 6).start()) {
 *   kafka.faults().on(ApiKey.PRODUCE).topic("orders").answer(ErrorCode.NOT_LEADER_OR_FOLLOWER);
 *   send(kafka.bootstrap());
 *   assertEquals(List.of("paid"), kafka.log("orders", 0).texts());
 * }
 * </pre>
 *
 * <p>The broker with index {@code p} modulo the number of brokers leads partition {@code p} of a topic, so a test knows
 * the leaders beforehand. Replicas have a record as soon as the leader has it, unless a test holds replication.
 *
 * <p>Any thread may call all methods. One thread owns the state of the cluster, and the methods wait for it. After
 * {@link #close} each of them throws {@link FakeClusterException}. Clusters of one JVM are independent of each other.
 */
public final class FakeCluster implements AutoCloseable {
  private static final AtomicInteger COUNT = new AtomicInteger();
  private static final String HOST = "127.0.0.1";
  private static final int MOST_REPLICAS = 3;
  private static final int MOST_PARTITIONS = 100_000;
  private static final int TRANSCRIPT_LINES = 200;

  private final OwnerThread owner;
  private final FakeClock clock;
  private final Cluster cluster;
  private final ApiTable apis;
  private final Journal journal;
  private final FaultRules faultRules = new FaultRules();
  private final Faults faults;
  private final ClusterServer server;
  private final GroupCoordinator groups;
  private final TransactionCoordinator transactions;
  private final Map<String, FakeClusterBuilder.NewTopic> firstTopics;
  private final ShareGroups shares;
  private final FakeSecurity security;

  private FakeCluster(FakeClusterBuilder builder, ClusterClock time, EventLoop loop) {
    this.owner = new OwnerThread(loop, builder.isInMemory());
    this.clock = new FakeClock(time, loop, owner);
    // A copy: two clusters of one builder once shared their settings, so a change of one changed the other.
    this.cluster = new Cluster(Cluster.randomId(), builder.release(), builder.settings().copy(), loop);
    this.cluster.logSpace().bound(builder.logBytes(),
        Objects.requireNonNullElse(builder.whenLogsAreFull(), this::warnOfFullLogs));
    this.apis = StandardApis.of(cluster);
    this.groups = new GroupCoordinator(cluster);
    GroupApis.addTo(apis, groups);
    this.transactions = TransactionApis.addTo(apis, cluster, groups);
    this.shares = new ShareGroups(cluster, groups);
    ShareApis.addTo(apis, shares);
    SecuritySettings.Parts secured = builder.security().addTo(apis, cluster);
    this.security = new FakeSecurity(owner, secured.logins(), secured.rules());
    this.journal = new Journal(builder.journalBytes());
    this.faults = new Faults(owner, cluster, faultRules, this::decoded);
    this.firstTopics = new LinkedHashMap<>(builder.topics());
    this.server = new ClusterServer(loop, cluster, apis, journal, faultRules, secured.listeners());
  }

  /** Starts a cluster of one broker without topics. Clients create them, as with a real broker. */
  public static FakeCluster start() {
    return builder().start();
  }

  /** Returns a builder for the settings of a cluster. */
  public static FakeClusterBuilder builder() {
    return new FakeClusterBuilder();
  }

  static FakeCluster start(FakeClusterBuilder builder) {
    ClusterClock time = new ClusterClock();
    int number = COUNT.incrementAndGet();
    EventLoop loop = EventLoop.start("decant-fake-cluster-" + number, time);
    FakeCluster cluster;
    try {
      cluster = new FakeCluster(builder, time, loop);
    } catch (RuntimeException | Error e) {
      loop.close();
      throw e;
    }
    try {
      cluster.owner.call(() -> {
        cluster.open(builder, number);
        return cluster;
      });
    } catch (RuntimeException | Error e) {
      cluster.close();
      throw e;
    }
    return cluster;
  }

  private void warnOfFullLogs() {
    System.getLogger(FakeCluster.class.getName()).log(System.Logger.Level.WARNING,
        "the logs of {0} have {1} bytes and are full, so records are refused; give more by logBytes or a larger heap,"
            + " or let retention delete records",
        this, cluster.logSpace().most());
  }

  private void open(FakeClusterBuilder builder, int number) throws IOException {
    for (int i = 0; i < builder.brokers(); i++) {
      String rack = builder.racks().isEmpty() ? null : builder.racks().get(i);
      int id = builder.firstBrokerId() + i;
      String host = builder.isInMemory() ? "fake-" + number + "-broker-" + id + MemoryNetwork.DOMAIN : HOST;
      Broker broker = cluster.addBroker(id, rack, host);
      server.listen(broker, builder.firstPort() == 0 ? 0 : builder.firstPort() + i);
    }
    createFirstTopics();
    cluster.beginHousekeeping();
  }

  private void createFirstTopics() {
    firstTopics.forEach((name, topic) -> create(name, topic.partitions(), topic.settings()));
  }

  /**
   * Resets the cluster to its state at the start, for the next test. Topics with their records, groups, transactions,
   * faults, received requests, changed settings, users and rules are deleted. The topics of the builder exist again,
   * without records and with other ids. Dead brokers are started, disks have room, and the clock runs.
   *
   * <p>Brokers keep their ids and ports. All connections are closed; open clients connect again and find the new
   * topics. Producer ids are not assigned a second time, and the clock does not go back.
   *
   * @throws FakeClusterException if the port of a dead broker is in use
   */
  public void reset() {
    reset(this::createFirstTopics);
  }

  private void reset(Runnable fill) {
    boolean unused = owner.call(() -> {
      faultRules.clear();
      security.reset();
      server.disconnectAll();
      cluster.reset();
      for (Broker broker : cluster.brokers()) {
        if (broker.isAlive()) {
          broker.reborn();
        } else {
          server.listen(broker, broker.port());
        }
      }
      fill.run();
      journal.clear();
      return true;
    });
    clock.resume();
  }

  /**
   * Takes a snapshot for {@link #restore}: topics with their settings and records, committed offsets, and changed
   * settings of brokers. Members of groups, transactional ids and faults are not in it.
   *
   * @throws FakeClusterException if a transaction is open
   */
  public FakeSnapshot snapshot() {
    return owner.call(() -> new FakeSnapshot(this, new ClusterSnapshot(cluster), groups.allOffsets()));
  }

  /**
   * Does the same as {@link #reset}, with the content of a snapshot in place of the builder's topics. The topics have
   * other ids and a later leader epoch than in the snapshot, which may be restored any number of times.
   *
   * @param snapshot snapshot of this cluster
   * @throws IllegalArgumentException if the snapshot is of another cluster
   */
  public void restore(FakeSnapshot snapshot) {
    if (!snapshot.taken().equals(this)) {
      throw new IllegalArgumentException("the snapshot is of " + snapshot.taken() + ", not of " + this);
    }
    reset(() -> {
      snapshot.topics().restore(cluster);
      groups.restoreOffsets(snapshot.offsets());
    });
  }

  /** Returns the addresses of all brokers, for {@code bootstrap.servers}. */
  public String bootstrap() {
    return owner.call(() -> cluster.brokers().stream().map(b -> b.host() + ":" + b.port())
        .collect(Collectors.joining(",")));
  }

  /** Returns the id of the cluster. */
  public String clusterId() {
    return cluster.id();
  }

  /** Returns the clock, which a test can move. */
  public FakeClock clock() {
    return clock;
  }

  /** Returns the faults of the brokers. */
  public Faults faults() {
    return faults;
  }

  /** Returns the users and their rights. */
  public FakeSecurity security() {
    return security;
  }

  /**
   * Returns a broker.
   *
   * @param id from 1
   * @throws IllegalArgumentException if there is no such broker
   */
  public FakeBroker broker(int id) {
    owner.run(() -> {
      Broker unused = existing(id);
    });
    return new FakeBroker(this, id);
  }

  private Broker existing(int id) {
    Broker broker = cluster.broker(id);
    if (broker == null) {
      throw new IllegalArgumentException(
          "there is no broker " + id + "; the brokers are 1 to " + cluster.brokers().size());
    }
    return broker;
  }

  int portOf(int id) {
    return owner.call(() -> existing(id).port());
  }

  boolean isAlive(int id) {
    return owner.call(() -> existing(id).isAlive());
  }

  void kill(int id) {
    owner.run(() -> {
      if (existing(id).isAlive()) {
        server.stop(existing(id));
        cluster.brokerStopped(id);
      }
    });
    // A closed channel keeps its port until the loop's next select. Without this wait a restart at once found its own
    // port in use.
    owner.awaitDueTimers();
  }

  void restart(int id, boolean onSamePort) {
    boolean unused = owner.call(() -> {
      Broker broker = existing(id);
      if (!broker.isAlive()) {
        server.listen(broker, onSamePort ? broker.port() : 0);
        cluster.brokerStarted(id);
      }
      return true;
    });
  }

  void fillDisk(int id, boolean isFull) {
    owner.run(() -> {
      if (isFull) {
        cluster.fillDisk(existing(id));
      } else {
        cluster.freeDisk(existing(id));
      }
    });
  }

  void disconnect(int id) {
    owner.run(() -> server.disconnect(existing(id)));
  }

  /**
   * Creates a topic with a replica on each broker, but at most three replicas.
   *
   * @param name name of the topic
   * @param partitions number of partitions
   * @throws IllegalArgumentException if the topic exists, or its name or number of partitions is not allowed
   */
  public void createTopic(String name, int partitions) {
    createTopic(name, partitions, Map.of());
  }

  /**
   * Creates a topic with settings.
   *
   * @param name name of the topic
   * @param partitions number of partitions
   * @param settings settings by name
   * @throws IllegalArgumentException if the topic exists, or its name, number of partitions or settings are not allowed
   */
  public void createTopic(String name, int partitions, Map<String, String> settings) {
    owner.run(() -> create(name, partitions, settings));
  }

  private void create(String name, int partitions, Map<String, String> settings) {
    String problem = Topics.problemOf(name);
    if (problem != null) {
      throw new IllegalArgumentException(problem);
    }
    requirePartitions(name, partitions);
    if (cluster.topics().named(name) != null) {
      throw new IllegalArgumentException("topic " + name + " is there already");
    }
    Topic unused = cluster.createTopic(name, partitions, Math.min(MOST_REPLICAS, cluster.brokers().size()), settings);
  }

  private static void requirePartitions(String topic, int partitions) {
    if (partitions < 1 || partitions > MOST_PARTITIONS) {
      throw new IllegalArgumentException(
          "topic " + topic + " cannot have " + partitions + " partitions; 1 to " + MOST_PARTITIONS + " are possible");
    }
  }

  /** Deletes a topic with all its records. */
  public void deleteTopic(String name) {
    owner.run(() -> cluster.deleteTopic(existing(name)));
  }

  /**
   * Deletes a topic and creates it again: it has the same name, partitions and settings, another id, and no records.
   */
  public void recreateTopic(String name) {
    owner.run(() -> {
      Topic old = existing(name);
      recreate(old, old.partitions().stream().map(Partition::replicas).toList());
    });
  }

  /**
   * Deletes a topic and creates it again with another number of partitions, which may be smaller: Kafka's topics lose
   * partitions in no other way.
   *
   * @param name name of the topic, which keeps its settings and number of replicas, and gets another id
   * @param partitions new number of partitions
   */
  public void recreateTopic(String name, int partitions) {
    owner.run(() -> {
      Topic old = existing(name);
      requirePartitions(name, partitions);
      recreate(old, cluster.placement(0, partitions, old.partitions().getFirst().replicas().size()));
    });
  }

  private void recreate(Topic old, List<List<Integer>> replicas) {
    cluster.deleteTopic(old);
    Topic unused = cluster.createTopic(old.name(), replicas, old.settings().overrides());
  }

  /**
   * Sets a setting of a group, such as {@code share.auto.offset.reset}; the bounds that brokers enforce for
   * administrators do not apply. The group need not exist.
   *
   * @param groupId id of the group
   * @param name name of the setting
   * @param value value of the setting
   * @throws IllegalArgumentException if groups have no such setting, or it cannot have the value
   */
  public void groupSetting(String groupId, String name, String value) {
    owner.run(() -> cluster.changeGroupSettings(groupId).set(name, value));
  }

  /** Adds partitions to a topic, up to a total number. */
  public void addPartitions(String topic, int total) {
    owner.run(() -> {
      Topic existing = existing(topic);
      if (total <= existing.partitions().size()) {
        throw new IllegalArgumentException(topic + " has " + existing.partitions().size() + " partitions; " + total
            + " are not more");
      }
      requirePartitions(topic, total);
      cluster.addPartitions(existing, total);
    });
  }

  private Topic existing(String name) {
    Topic topic = cluster.topics().named(name);
    if (topic == null) {
      throw new IllegalArgumentException("there is no topic " + name + "; " + cluster.topics().inWords());
    }
    return topic;
  }

  private Partition existing(String topic, int index) {
    Partition partition = existing(topic).partition(index);
    if (partition == null) {
      throw new IllegalArgumentException(
          topic + " has partitions 0 to " + (existing(topic).partitions().size() - 1) + ", not " + index);
    }
    return partition;
  }

  /**
   * Makes another broker the leader of a partition, with the next leader epoch. A broker that is no replica in sync
   * becomes one.
   *
   * @param topic name of the topic
   * @param partition number of the partition
   * @param broker id of a living broker
   */
  public void moveLeader(String topic, int partition, int broker) {
    owner.run(() -> {
      Partition moved = existing(topic, partition);
      requireServing(broker, moved);
      cluster.lead(moved, broker);
    });
  }

  private void requireServing(int broker, Object toLead) {
    if (!existing(broker).isAlive()) {
      throw new IllegalArgumentException("broker " + broker + " is dead and cannot lead " + toLead);
    }
    if (existing(broker).isLogDirOffline()) {
      throw new IllegalArgumentException("broker " + broker + " has a full disk and cannot lead " + toLead);
    }
  }

  /**
   * Makes another broker the coordinator of a group, as a new leader of the partition with the group's offsets. Other
   * groups with offsets in the same partition move with it. Waiting members receive {@code NOT_COORDINATOR}.
   *
   * @param group id of the group, which need not exist yet
   * @param broker id of a living broker
   */
  public void moveGroupCoordinator(String group, int broker) {
    moveCoordinator(Coordinators.Type.GROUP, group, broker);
  }

  /**
   * Makes another broker the coordinator of a transactional id, as a new leader of the partition with its state. Other
   * ids with state in the same partition move with it.
   *
   * @param transactionalId the id, which need not exist yet
   * @param broker id of a living broker
   */
  public void moveTransactionCoordinator(String transactionalId, int broker) {
    moveCoordinator(Coordinators.Type.TRANSACTION, transactionalId, broker);
  }

  private void moveCoordinator(Coordinators.Type type, String key, int broker) {
    owner.run(() -> {
      requireServing(broker, key);
      cluster.coordinators().move(type, key, broker);
    });
  }

  /**
   * Expires the session of a group's member, as after a missing heartbeat: the others take over its partitions, and the
   * member receives {@code UNKNOWN_MEMBER_ID}.
   *
   * @param group id of the group
   * @param member a member id, a {@code group.instance.id}, or the {@code client.id} of one or several members
   * @throws IllegalArgumentException if there is no such group or member
   */
  public void expireMember(String group, String member) {
    owner.run(() -> groups.expire(group, member));
  }

  /**
   * Expires a producer in all partitions, as after {@code producer.id.expiration.ms}: a retry of its batches is stored
   * a second time. A partition with an open transaction of the producer keeps it.
   *
   * @param producerId id of the producer, as in {@link StoredRecord}
   * @throws IllegalArgumentException if no partition has the producer, or each has its open transaction
   */
  public void expireProducer(long producerId) {
    owner.run(() -> {
      boolean isKnown = false;
      for (Topic topic : cluster.topics().all()) {
        for (Partition partition : topic.partitions()) {
          PartitionLog log = partition.usedLog();
          isKnown |= log != null && log.producers().expire(producerId);
        }
      }
      if (!isKnown) {
        throw new IllegalArgumentException(
            "no partition knows producer " + producerId + " without an open transaction");
      }
    });
  }

  /**
   * Expires a transactional id, as after {@code transactional.id.expiration.ms}: its producer receives {@code
   * INVALID_PRODUCER_ID_MAPPING} with its next transaction.
   *
   * @param transactionalId the id
   * @throws IllegalArgumentException if there is no such id, or its transaction is not complete
   */
  public void expireTransactionalId(String transactionalId) {
    owner.run(() -> transactions.expire(transactionalId));
  }

  /** Raises the leader epoch of a partition without a new leader, so that the metadata of clients is out of date. */
  public void bumpEpoch(String topic, int partition) {
    owner.run(() -> existing(topic, partition).bumpEpoch());
  }

  /** Leaves a partition without a leader, until {@link #moveLeader}. */
  public void removeLeader(String topic, int partition) {
    owner.run(() -> existing(topic, partition).lead(Partition.NO_LEADER));
  }

  /**
   * Stops the replication of a partition, until {@link #resumeReplication}: its high watermark stands still, and
   * producers with {@code acks=all} wait.
   */
  public void holdReplication(String topic, int partition) {
    owner.run(() -> existing(topic, partition).holdReplication(true));
  }

  /** Resumes the replication of a partition; the followers copy all records. */
  public void resumeReplication(String topic, int partition) {
    owner.run(() -> existing(topic, partition).holdReplication(false));
  }

  /**
   * Makes a broker the leader of a partition that lacks the records from an offset on: they are lost, as after an
   * unclean election.
   *
   * @param topic name of the topic
   * @param partition number of the partition
   * @param broker id of a living broker, the new leader
   * @param offset first lost offset, at least 0; whole batches are lost
   */
  public void loseRecords(String topic, int partition, int broker, long offset) {
    owner.run(() -> {
      Partition loser = existing(topic, partition);
      requireServing(broker, loser);
      if (offset < 0) {
        throw new IllegalArgumentException("offset: " + offset + " is less than 0");
      }
      loser.truncate(offset);
      cluster.lead(loser, broker);
    });
  }

  /**
   * Makes a broker the leader of a partition that lacks the records above the high watermark: they are lost. {@link
   * #holdReplication} keeps records above it.
   *
   * @param topic name of the topic
   * @param partition number of the partition
   * @param broker id of a living broker, the new leader
   */
  public void electUnclean(String topic, int partition, int broker) {
    owner.run(() -> {
      Partition loser = existing(topic, partition);
      requireServing(broker, loser);
      loser.truncate(loser.log().highWatermark());
      cluster.lead(loser, broker);
    });
  }

  /**
   * Deletes the records of a partition below an offset, so that the position of a slower consumer is out of range.
   *
   * @param topic name of the topic
   * @param partition number of the partition
   * @param beforeOffset first offset that stays, at most the high watermark
   */
  public void deleteRecords(String topic, int partition, long beforeOffset) {
    boolean unused = owner.call(() -> {
      Partition existing = existing(topic, partition);
      if (beforeOffset < 0 || beforeOffset > existing.log().highWatermark()) {
        throw new IllegalArgumentException("beforeOffset: " + beforeOffset + " is not in 0.."
            + existing.log().highWatermark() + ", the high watermark of " + existing);
      }
      existing.deleteBelow(beforeOffset);
      return true;
    });
  }

  /**
   * Deletes the records beyond the topics' retention, by {@code retention.ms} and the cluster's clock, and by {@code
   * retention.bytes}. As in Kafka whole segments are deleted: a segment with one record that is young enough stays;
   * {@code segment.ms} and {@code segment.bytes} end segments. The cluster also does this every five minutes of its
   * clock ({@code log.retention.check.interval.ms}).
   */
  public void applyRetention() {
    owner.run(cluster::applyRetention);
  }

  /**
   * Compacts the partitions of a topic, as if all their segments were closed and the log cleaner had run. The last
   * record of each key stays, with its offset. Tombstones and transaction markers are deleted by the first compaction
   * that comes {@code delete.retention.ms} of the cluster's clock after one that has met them. Records of open
   * transactions stay.
   *
   * @param topic a topic whose {@code cleanup.policy} has {@code compact}
   * @throws IllegalArgumentException if the policy has not, or a batch is compressed and its codec is not on the class
   *     path
   */
  public void compact(String topic) {
    owner.run(() -> {
      Topic compacted = existing(topic);
      if (!compacted.logSettings().isCompacted()) {
        throw new IllegalArgumentException("topic " + topic + " has the cleanup.policy "
            + compacted.settings().get("cleanup.policy") + ", not compact");
      }
      try {
        compacted.partitions().forEach(partition -> partition.compact(cluster.nowMillis()));
      } catch (UnsupportedCompressionException e) {
        throw new IllegalArgumentException("topic " + topic + " cannot be compacted: " + e.getMessage(), e);
      }
    });
  }

  /** Returns a copy of the present content of a partition. */
  public StoredLog log(String topic, int partition) {
    return owner.call(() -> LogCopy.of(existing(topic, partition)));
  }

  /**
   * Returns the progress of a share group in a partition.
   *
   * @param groupId id of the group, which need not exist
   * @param topic name of the topic
   * @param partition number of the partition
   */
  public SharedPartition sharedPartition(String groupId, String topic, int partition) {
    return owner.call(() -> ShareCopy.of(shares, groupId, existing(topic, partition)));
  }

  /** Returns the received requests, oldest first. Only the last ones are kept, see {@link FakeClusterBuilder}. */
  public List<ReceivedRequest> requests() {
    return owner.call(journal::entries).stream().map(this::decoded).toList();
  }

  /** Returns the received requests of one API. */
  public List<ReceivedRequest> requests(ApiKey api) {
    return owner.call(journal::entries).stream().filter(e -> e.api() == api).map(this::decoded).toList();
  }

  /** Deletes the received requests. */
  public void clearRequests() {
    owner.run(journal::clear);
  }

  private ReceivedRequest decoded(JournalEntry entry) {
    Api<?, ?> api = Objects.requireNonNull(apis.of(entry.api()));
    Object body = "a version that is not offered";
    if (Objects.requireNonNull(apis.versions(entry.api())).contains(entry.version())) {
      ByteBuffer frame = ByteBuffer.wrap(entry.frame()).asReadOnlyBuffer();
      body = Objects.requireNonNull(
          api.reader().read(new ProtocolReader(frame, entry.bodyAt(), frame.limit()), entry.version()));
    }
    return new ReceivedRequest(entry.number(), entry.broker(), entry.connection(), entry.api(), entry.version(),
        entry.correlationId(), entry.clientId(), Instant.ofEpochMilli(entry.atMillis()), body);
  }

  /**
   * Waits for a request of an API, among the kept requests and those that arrive.
   *
   * @param api the API
   * @param timeout longest wait, in real time
   * @return the first of these requests
   * @throws AssertionError if none arrives in time; the message has the transcript
   */
  public ReceivedRequest awaitRequest(ApiKey api, Duration timeout) {
    return awaitRequest(request -> request.api() == api, timeout);
  }

  /**
   * Waits for a request that meets a condition, among the kept requests and those that arrive. {@link #close} ends the
   * wait with a {@link FakeClusterException}.
   *
   * @param condition called on any thread; must not block
   * @param timeout longest wait, in real time
   * @return the first of these requests
   * @throws AssertionError if none arrives in time; the message has the transcript
   */
  public ReceivedRequest awaitRequest(Predicate<ReceivedRequest> condition, Duration timeout) {
    CompletableFuture<ReceivedRequest> found = new CompletableFuture<>();
    Consumer<JournalEntry> watcher = entry -> {
      try {
        ReceivedRequest request = decoded(entry);
        if (condition.test(request)) {
          found.complete(request);
        }
      } catch (RuntimeException | Error e) {
        // the condition's failure is the waiting test's, not the client's whose request it was
        found.completeExceptionally(e);
      }
    };
    owner.run(() -> {
      journal.entries().forEach(watcher);
      journal.watch(watcher);
    });
    try {
      return owner.await(found, timeout);
    } catch (TimeoutException e) {
      throw new AssertionError("no such request within " + timeout + "; there were\n" + transcript());
    } catch (ExecutionException e) {
      throw new FakeClusterException("the condition has failed", e.getCause());
    } finally {
      owner.run(() -> journal.unwatch(watcher));
    }
  }

  /** Returns the last 200 requests, one a line, for the message of a failing test. */
  public String transcript() {
    List<JournalEntry> entries = owner.call(journal::entries);
    int skipped = Math.max(0, entries.size() - TRANSCRIPT_LINES);
    String lines = entries.stream().skip(skipped).map(e -> decoded(e).toString()).collect(Collectors.joining("\n"));
    return skipped == 0 ? lines : skipped + " requests before these\n" + lines;
  }

  /** Closes ports and connections, and ends the thread. A second call waits for the end of the first. */
  @Override
  public void close() {
    owner.close(server::close, () -> {
      server.freeMemory();
      cluster.freeMemory();
    });
  }

  @Override
  public String toString() {
    return "fake cluster " + cluster.id() + " of Kafka " + cluster.release();
  }
}
