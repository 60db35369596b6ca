package dev.decant.lab.driver;

import com.fasterxml.jackson.annotation.JsonIgnore;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * The work of one client in one sample.
 *
 * @param client {@code decant}, {@code decant-apache}, {@code agent}, {@code kafka-clients-4.3.1}, {@code
 *     parallel-consumer}, {@code spring-kafka}, {@code jdk} or {@code bare-socket}
 * @param work the kind of work
 * @param access how the client reaches the cluster
 * @param topics topics that are written or read
 * @param load records, threads and rate
 * @param amount number of records and duration
 * @param producer settings of the producer by Kafka's names
 * @param consumer settings of the consumer by Kafka's names
 */
public record WorkSpec(String client, WorkKind work, Access access, Topics topics, Load load, Amount amount,
    Map<String, String> producer, Map<String, String> consumer) {

  /** Decant's client of this build. */
  public static final String DECANT = "decant";
  /** The beginning of the name of every other build of Decant. */
  public static final String DECANT_PREFIX = DECANT + "-";
  /** Decant's client of this build behind Apache's interfaces. The lab calls it as it calls the peer. */
  public static final String DECANT_APACHE = DECANT_PREFIX + "apache";
  /** The peer's classes, in a JVM whose agent puts Decant's client in their place. */
  public static final String AGENT = "agent";
  /** The beginning of the name of every release of the peer. */
  public static final String PEER_PREFIX = "kafka-clients-";
  /** The peer: the release of kafka-clients that Decant is compared with. */
  public static final String PEER = PEER_PREFIX + "4.3.1";
  /** The session timeout among a group consumer's settings, in milliseconds. */
  public static final String SESSION_TIMEOUT = "session.timeout.ms";
  /** The heartbeat interval among a group consumer's settings, in milliseconds. */
  public static final String HEARTBEAT_INTERVAL = "heartbeat.interval.ms";
  /** Confluent's library for parallel work, on the peer. */
  public static final String PARALLEL_CONSUMER = "parallel-consumer";
  /** Spring Kafka's listener container, on the peer. */
  public static final String SPRING_KAFKA = "spring-kafka";
  /** Loops of the JDK, without a client and a broker. */
  public static final String JDK = WorkKind.JDK;
  /** Loops over a connection to the broker, without a client. */
  public static final String BARE_SOCKET = WorkKind.BARE_SOCKET;
  /**
   * {@code fetch.max.wait.ms} of clients that read a whole topic again and again. At the end of the topic a fetch waits
   * that long before the next pass can begin, so it is short, for all clients alike.
   */
  public static final int FETCH_MAX_WAIT_MILLIS = 10;

  /**
   * The share of a topic that handlers read. {@link #WHOLE_TOPIC} stands for all. Partitions are not read evenly, and a
   * client that has read one partition to its end waits in fetches for more, which would be measured.
   */
  public static final int READ_OF_TOPIC = 3;
  /** The whole topic in the units of {@link #READ_OF_TOPIC}. */
  public static final int WHOLE_TOPIC = 4;
  /** A reader fails after this time without a record from the JVM that feeds its topic. */
  public static final Duration FEED_PATIENCE = Duration.ofSeconds(20);

  /**
   * The way in which a client reaches the cluster.
   *
   * @param bootstrap {@code host:port}, several with commas; empty until the cluster is there
   * @param tls true if the client encrypts its connections
   * @param clientConfig path of a client properties file, see {@link ClientConfig}; empty for none
   */
  public record Access(String bootstrap, boolean tls, String clientConfig) {

    /**
     * Returns an access without TLS, credentials or other settings.
     *
     * @param bootstrap {@code host:port}, several with commas; empty until the cluster is there
     * @return the access
     */
    public static Access plain(String bootstrap) {
      return new Access(bootstrap, false, "");
    }
  }

  /**
   * The topics of a work, which all have the same number of partitions.
   *
   * @param name the topic's name, or the prefix of several names; empty until the topics are there
   * @param count number of topics
   * @param partitions number of partitions of each topic
   */
  public record Topics(String name, int count, int partitions) {

    /**
     * Returns one topic that is not created yet.
     *
     * @param partitions number of its partitions
     * @return the topic
     */
    public static Topics one(int partitions) {
      return new Topics("", 1, partitions);
    }

    /**
     * Returns the names of all topics.
     *
     * @return as many names as topics
     */
    public List<String> names() {
      return count == 1 ? List.of(name) : IntStream.range(0, count).mapToObj(each -> name + "-" + each).toList();
    }

    /** Returns the number of partitions of all topics together. */
    int partitionsOfAll() {
      return count * partitions;
    }
  }

  /**
   * The records, threads and rate of a work.
   *
   * @param recordSizeBytes length of a value
   * @param payload {@code random} or {@code json-text}
   * @param threads number of callers, or of handlers that run at once
   * @param virtual true if these are virtual threads
   * @param ratePerSecond records per second; 0 for no bound
   * @param seed seed of the payloads
   * @param pollMillis pause between a waiting caller's checks of the result; 0 to wait for it
   * @param keys keys of the records
   * @param handlers work of handlers on each record
   */
  public record Load(int recordSizeBytes, String payload, int threads, boolean virtual, long ratePerSecond, long seed,
      long pollMillis, Keys keys, Handlers handlers) {

    /**
     * Returns a load of one thread that sends random bytes as fast as it can.
     *
     * @param recordSizeBytes length of a value
     * @param seed seed of the payloads
     * @return the load
     */
    public static Load plain(int recordSizeBytes, long seed) {
      return new Load(recordSizeBytes, "random", 1, false, 0, seed, 0, Keys.NONE, Handlers.NONE);
    }
  }

  /**
   * The keys of the records.
   *
   * @param count number of keys; 0 for records without a key
   * @param hotPercent percentage of records with the first key; the other records have any key
   */
  public record Keys(int count, int hotPercent) {
    /** Records without a key. */
    public static final Keys NONE = new Keys(0, 0);
  }

  /**
   * The work of handlers on each record.
   *
   * @param order which records wait for each other: {@code key}, {@code partition} or {@code none}
   * @param millis time for which a handler sleeps; 0 for one that only counts
   * @param failPercent percentage of records that fail twice before they succeed
   * @param pauseMillis pause before a failed record is tried again
   */
  public record Handlers(String order, int millis, int failPercent, int pauseMillis) {
    /** No handlers. */
    public static final Handlers NONE = new Handlers("key", 0, 0, 0);
  }

  /**
   * The number of records and the duration of a sample.
   *
   * @param warmUpRecords least number of records before the measurement
   * @param warmUpMillis most time of the warm-up, even for fewer records; 0 for no bound
   * @param records number of measured records, rounded up to whole passes over a topic; 0 for no bound
   * @param durationMillis most time of the measurement; 0 for no bound
   * @param topicRecords number of records that a topic to be read has
   * @param transactionRecords number of records in each transaction
   */
  public record Amount(long warmUpRecords, long warmUpMillis, long records, long durationMillis, long topicRecords,
      int transactionRecords) {

    /**
     * Leaves out transactions and the bound of the warm-up's time.
     *
     * @param warmUpRecords least number of records before the measurement
     * @param records number of measured records; 0 for no bound
     * @param durationMillis most time of the measurement; 0 for no bound
     * @param topicRecords number of records that a topic to be read has
     */
    public Amount(long warmUpRecords, long records, long durationMillis, long topicRecords) {
      this(warmUpRecords, 0, records, durationMillis, topicRecords, 0);
    }
  }

  /**
   * Returns the same work on another cluster and topic.
   *
   * @param newAccess how the client reaches the cluster
   * @param name the topic's name, or the prefix of several names
   * @return a copy
   */
  public WorkSpec on(Access newAccess, String name) {
    return new WorkSpec(client, work, newAccess, new Topics(name, topics.count, topics.partitions), load, amount,
        producer, consumer);
  }

  /**
   * Returns the topic of a work that has one.
   *
   * @return its name
   */
  public String topic() {
    return topics.name;
  }

  /**
   * Returns the number of partitions of each topic.
   *
   * @return at least 1
   */
  public int partitions() {
    return topics.partitions;
  }

  /**
   * Returns the number of records that the broker adds to those of a client: one commit marker in each partition for
   * each transaction.
   *
   * @param records number of the client's records
   * @return number of commit markers
   */
  public long markers(long records) {
    return work.isTransactional() ? records / amount.transactionRecords * topics.partitions : 0;
  }

  /**
   * Returns the same work with another number of records or duration.
   *
   * @param newAmount number of records and duration
   * @return a copy
   */
  public WorkSpec of(Amount newAmount) {
    return new WorkSpec(client, work, access, topics, load, newAmount, producer, consumer);
  }

  /**
   * Returns the addresses at which clients begin.
   *
   * @return {@code host:port}, several with commas
   */
  public String bootstrap() {
    return access.bootstrap();
  }

  /**
   * Returns the settings with which every client of this work begins, by Kafka's names: the cluster's address, and the
   * client config.
   */
  Map<String, Object> clientSettings() {
    Map<String, Object> settings = new HashMap<>(ClientConfig.read(access.clientConfig()).settings());
    settings.put("bootstrap.servers", access.bootstrap());
    return settings;
  }

  /** Returns true if the lab calls Decant's own interface. */
  @JsonIgnore
  boolean isDecant() {
    return (client.equals(DECANT) || client.startsWith(DECANT_PREFIX)) && !isDecantApache();
  }

  /** Returns true if the lab calls Decant through Apache's interfaces. */
  @JsonIgnore
  boolean isDecantApache() {
    return client.equals(DECANT_APACHE);
  }

  /** Returns true if the agent must have replaced the peer's classes. */
  @JsonIgnore
  boolean isUnderAgent() {
    return client.equals(AGENT);
  }
}
