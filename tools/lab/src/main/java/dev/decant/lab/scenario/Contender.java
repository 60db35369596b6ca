package dev.decant.lab.scenario;

import dev.decant.lab.driver.WorkKind;
import dev.decant.lab.driver.WorkSpec;
import dev.decant.lab.jvm.JavaRuntime;
import dev.decant.lab.stress.ClientJvm;
import dev.decant.testkit.ClusterException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** One of the clients of a scenario, with the settings that apply to it. */
public final class Contender {
  /** The name of a bare socket whose connection is encrypted. */
  private static final String BARE_TLS = "bare-sslengine";
  private static final String SECURITY = "security.protocol";
  private static final String JAVA = "java";
  /** The work that fills and feeds topics. */
  private static final String FILLING = "produce";
  private static final int THERE_AND_BACK = 2;
  private static final int MOST_TURNS = 8;
  private static final int MOST_TOPICS = 1000;
  private static final int MOST_PARTITIONS = 10_000;
  private static final int MOST_THREADS = 100_000;
  private static final long MOST_RECORDS = 1_000_000_000_000L;
  private static final int MOST_TRANSACTION_RECORDS = 1_000_000;
  private static final int MOST_SECONDS = 3600;
  private static final int MOST_POLL_MILLIS = 10_000;
  private static final int MOST_BYTES = 1_000_000;
  private static final int MOST_GROUP_MILLIS = 60_000;

  private final String label;
  private final Settings settings;
  private final HandlerSettings handlers;
  /** The JVM of the setting {@code java}; null before it is looked up, and without the setting. */
  private @Nullable JavaRuntime java;

  Contender(String label, Settings settings) {
    this.label = label;
    this.settings = settings;
    this.handlers = new HandlerSettings(settings);
  }

  /**
   * Returns the name within the scenario.
   *
   * @return begins with the client's name
   */
  public String label() {
    return label;
  }

  /** Returns the client, which the first word of the name gives. */
  private String client() {
    if (label.equals("kafka-clients") || label.startsWith("kafka-clients-")) {
      String version = settings.text("version", "");
      return version.isEmpty() ? WorkSpec.PEER : WorkSpec.PEER_PREFIX + version;
    }
    if (label.equals(WorkSpec.DECANT_APACHE) || label.startsWith(WorkSpec.DECANT_APACHE + "-")) {
      return WorkSpec.DECANT_APACHE;
    }
    if (label.equals("decant") || label.startsWith("decant-")) {
      String version = settings.text("version", "");
      return version.isEmpty() ? WorkSpec.DECANT : WorkSpec.DECANT_PREFIX + version;
    }
    if (label.equals(WorkSpec.AGENT) || label.startsWith(WorkSpec.AGENT + "-")) {
      return WorkSpec.AGENT;
    }
    for (String runtime : List.of(WorkSpec.PARALLEL_CONSUMER, WorkSpec.SPRING_KAFKA)) {
      if (label.equals(runtime) || label.startsWith(runtime + "-")) {
        return runtime;
      }
    }
    if (label.equals("jdk") || label.startsWith("jdk-")) {
      return WorkSpec.JDK;
    }
    if (label.equals("bare-socket") || label.startsWith("bare-socket-") || label.equals(BARE_TLS)) {
      return WorkSpec.BARE_SOCKET;
    }
    throw settings.refuse("clients", "\"" + label
        + "\" is no client; its name must be bare-sslengine, or be or begin with decant-, decant-apache-,"
        + " agent-, kafka-clients-, parallel-consumer-, spring-kafka-, jdk- or bare-socket-");
  }

  /**
   * Returns the kind of work.
   *
   * @return the work
   */
  public WorkKind work() {
    String name = settings.text("work", "");
    WorkKind work = WorkKind.labelled(name).orElseThrow(() -> settings.refuse("work",
        "there is no work \"" + name + "\"; there are " + String.join(", ", WorkKind.labels())));
    requireOwn(WorkSpec.JDK, work);
    requireOwn(WorkSpec.BARE_SOCKET, work);
    handlers.requireClient(client(), work);
    return work;
  }

  /** Rejects a work that another kind of client has: the JDK and the bare socket have works of their own. */
  private void requireOwn(String client, WorkKind work) {
    List<WorkKind> its = WorkKind.of(client);
    if (client().equals(client) != its.contains(work)) {
      throw settings.refuse("work",
          listed(its) + (its.size() == 1 ? " is the work" : " are the works") + " of the client "
              + client + ", which has no other");
    }
  }

  private static String listed(List<WorkKind> works) {
    String last = works.getLast().label();
    return works.size() == 1
        ? last
        : works.stream().limit(works.size() - 1L).map(WorkKind::label).collect(Collectors.joining(", ")) + " and "
            + last;
  }

  /**
   * Returns the work without cluster and topic.
   *
   * @param quick true for a short sample
   * @param seed seed of the payloads
   * @return the work
   */
  public WorkSpec spec(boolean quick, long seed) {
    WorkKind work = work();
    int threads = threads(quick);
    int size = (int) settings.number("record.size", 100, 1, MOST_BYTES);
    WorkSpec.Load load = new WorkSpec.Load(size, settings.choice("payload", "random", "json-text"), threads,
        settings.choice("thread.kind", "platform", "virtual").equals("virtual"),
        settings.number("rate", 0, 0, MOST_RECORDS), seed, settings.number("wait.poll.ms", 0, 0, MOST_POLL_MILLIS),
        handlers.keys(work),
        handlers.handlers(work));
    return new WorkSpec(client(), work, new WorkSpec.Access("", isEncrypted(), ""), topics(), load,
        amount(quick),
        settings.under("producer."),
        settings.under("consumer."));
  }

  /** Returns true if the client encrypts its connections. */
  boolean isEncrypted() {
    return settings.choice(SECURITY, "PLAINTEXT", "SSL").equals("SSL");
  }

  /** Returns the number of the cluster's nodes; 0 for any number. */
  int brokers() {
    long brokers = settings.number("brokers", 0, 0, 3);
    if (brokers == 2) {
      throw settings.refuse("brokers", "a cluster has 1 or 3 of them");
    }
    return (int) brokers;
  }

  private int threads(boolean quick) {
    return (int) settings.number("threads", quick, 1, 1, MOST_THREADS);
  }

  /** Returns the number of turns in a round: 2 for there and back. */
  int turns(boolean quick) {
    return (int) settings.number("turns", quick, THERE_AND_BACK, 1, MOST_TURNS);
  }

  private int partitions() {
    return (int) settings.number("partitions", 6, 1, MOST_PARTITIONS);
  }

  /** Returns the topics. Decant's consumer reads several topics only as a member of a group. */
  private WorkSpec.Topics topics() {
    int topics = (int) settings.number("topics", 1, 1, MOST_TOPICS);
    boolean needsGroup = work().readsWritten() && !settings.all().containsKey("consumer.group.protocol");
    if (topics > 1 && (!work().takesSeveralTopics() || needsGroup)) {
      throw settings.refuse("topics", "more than 1 is for the works produce and consume, and the latter needs"
          + " consumer.group.protocol");
    }
    if (topics * partitions() > MOST_PARTITIONS) {
      throw settings.refuse("topics", topics + " of " + partitions() + " partitions are more than " + MOST_PARTITIONS
          + " partitions");
    }
    return new WorkSpec.Topics("", topics, partitions());
  }

  private WorkSpec.Amount amount(boolean quick) {
    long millis = settings.millis("seconds", quick, MOST_SECONDS);
    long records = settings.number("records", quick, 0, 0, MOST_RECORDS);
    if (millis == 0 && records == 0) {
      throw settings.refuse("records", "say how much is measured: records, seconds, or both for what ends first");
    }
    if (millis > 0 && !work().isTimed()) {
      throw settings.refuse("seconds", "the work " + work().label() + " does a number of records; say records instead");
    }
    long topicRecords = settings.number("topic.records", quick, 0, 0, MOST_RECORDS);
    boolean isBesideReaders = work().isHandlersAlone();
    if (work().readsWritten() != (topicRecords > 0) && !isBesideReaders) {
      throw settings.refuse("topic.records",
          "the works consume, cold-start, work-key and work-retry need it, and no other");
    }
    int transactionRecords = (int) settings.number("transaction.records", 0, 0, MOST_TRANSACTION_RECORDS);
    if (work().isTransactional() != (transactionRecords > 0)) {
      throw settings.refuse("transaction.records", "the work transact needs it, and no other");
    }
    return new WorkSpec.Amount(settings.number("warm-up", quick, 1, 1, MOST_RECORDS),
        settings.number("warm-up.seconds", quick, 0, 0, MOST_SECONDS) * 1000, records, millis, topicRecords,
        transactionRecords);
  }

  /**
   * Returns the work of the JVM that feeds this client's topic: Decant's producer at {@code feed.rate}, for every
   * client.
   *
   * @param seed seed of the payloads
   * @return the work of the other JVM
   */
  WorkSpec feeder(long seed) {
    WorkSpec own = spec(false, seed);
    WorkSpec.Load load = new WorkSpec.Load(own.load().recordSizeBytes(), own.load().payload(), 1, false,
        settings.number("feed.rate", 0, 1, MOST_RECORDS), seed, 0, WorkSpec.Keys.NONE, WorkSpec.Handlers.NONE);
    return new WorkSpec(WorkSpec.DECANT, WorkKind.named(FILLING), WorkSpec.Access.plain(""), own.topics(), load,
        new WorkSpec.Amount(0, MOST_RECORDS, 0, 0), own.producer(), Map.of());
  }

  /**
   * Returns the work of the JVM that fills the topic which this client reads.
   *
   * @param quick true for short samples
   * @param seed seed of the payloads
   * @return the work of the other JVM; equal for contenders that can read the same topic
   */
  WorkSpec filling(boolean quick, long seed) {
    WorkSpec own = spec(quick, seed);
    WorkSpec.Load load = new WorkSpec.Load(own.load().recordSizeBytes(), own.load().payload(), 1, false, 0, seed, 0,
        own.load().keys(),
        WorkSpec.Handlers.NONE);
    Map<String, String> producer = new TreeMap<>(
        Map.of("acks", "1", "enable.idempotence", "false", "linger.ms", "5", "batch.size", "65536"));
    producer.putAll(own.producer());
    return new WorkSpec(WorkSpec.DECANT, WorkKind.named(FILLING), WorkSpec.Access.plain(""), own.topics(), load,
        new WorkSpec.Amount(0, own.amount().topicRecords(), 0, 0), producer, Map.of());
  }

  /**
   * Returns the flags of the JVM.
   *
   * @return to put after the lab's own flags and before the user's
   */
  List<String> jvmArguments() {
    String flags = settings.text("jvm", "").strip();
    return flags.isEmpty() ? List.of() : List.of(flags.split("\\s+", -1));
  }

  /**
   * Returns the JVM for this client.
   *
   * @return null for the lab's own
   */
  public @Nullable JavaRuntime java() {
    String path = settings.text(JAVA, "");
    if (java == null && !path.isEmpty()) {
      try {
        java = JavaRuntime.at(path);
      } catch (IllegalArgumentException e) {
        throw settings.refuse(JAVA, String.valueOf(e.getMessage()));
      }
    }
    return java;
  }

  private void checkJava() {
    JavaRuntime other = java();
    if (other != null) {
      try {
        ClientJvm.requireToRunOn(client(), other);
      } catch (IllegalArgumentException | ClusterException e) {
        throw settings.refuse(JAVA, String.valueOf(e.getMessage()));
      }
    }
  }

  /**
   * Returns all settings.
   *
   * @return by key, for the result file
   */
  public Map<String, String> settings() {
    return new TreeMap<>(settings.all());
  }

  /** Rejects settings that are known to be wrong before anything is started. */
  void check() {
    for (boolean quick : new boolean[] {false, true}) {
      spec(quick, 0);
      turns(quick);
    }
    boolean fed = work().isFed();
    if (fed) {
      feeder(0);
    }
    if (fed || work().needsRate()) {
      settings.number(fed ? "feed.rate" : "rate", 0, 1, MOST_RECORDS);
    }
    if (label.equals(BARE_TLS) && !isEncrypted()) {
      throw settings.refuse("clients", BARE_TLS + " needs security.protocol = SSL");
    }
    if (work().isOfAGroup()) {
      checkGroup();
    }
    for (boolean quick : new boolean[] {false, true}) {
      handlers.check(work(), amount(quick));
    }
    if (work().isOfOneThread() && Math.max(threads(false), threads(true)) > 1) {
      throw settings.refuse("threads", "the work " + work().label() + " is that of one thread");
    }
    if (work().needsOneLeader() && brokers() > 1 && partitions() > 1) {
      throw settings.refuse("brokers", "the work " + work().label() + " needs one broker that leads all partitions");
    }
    checkVersion();
    checkJava();
    if (settings.all().containsKey("wait.poll.ms")
        && (!work().takesPollInterval() || !hasApachesCalls())) {
      throw settings.refuse("wait.poll.ms", "is for the work send-and-wait of kafka-clients, decant-apache and agent");
    }
    if (client().startsWith(WorkSpec.DECANT) && !hasApachesCalls() && work().keepsDefaultProtocol()
        && settings.all().containsKey("consumer.group.protocol")) {
      throw settings.refuse("consumer.group.protocol",
          "Decant joins with its usual protocol here; set it for a kafka-clients with \" @ NAME\"");
    }
  }

  private void checkVersion() {
    if (settings.all().containsKey("version") && !client().startsWith(WorkSpec.PEER_PREFIX)
        && (!client().startsWith(WorkSpec.DECANT_PREFIX) || client().equals(WorkSpec.DECANT_APACHE))) {
      throw settings.refuse("version", "only decant and kafka-clients have versions");
    }
  }

  private boolean hasApachesCalls() {
    return client().startsWith(WorkSpec.PEER_PREFIX) || client().equals(WorkSpec.DECANT_APACHE)
        || client().equals(WorkSpec.AGENT);
  }

  private void checkGroup() {
    settings.choice("consumer.group.protocol", "consumer", "classic");
    settings.number("consumer." + WorkSpec.SESSION_TIMEOUT, 0, 1, MOST_GROUP_MILLIS);
    settings.number("consumer." + WorkSpec.HEARTBEAT_INTERVAL, 0, 1, MOST_GROUP_MILLIS);
    if (Math.max(threads(false), threads(true)) > partitions()) {
      throw settings.refuse("threads", "each member is to have a partition, and there are " + partitions());
    }
  }
}
