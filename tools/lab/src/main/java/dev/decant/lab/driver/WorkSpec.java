package dev.decant.lab.driver;

import com.fasterxml.jackson.annotation.JsonIgnore;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * What one client has to do in one sample.
 *
 * @param client {@code decant}, {@code decant-apache}, {@code agent}, {@code kafka-clients-4.3.1},
 *     {@code parallel-consumer}, {@code spring-kafka}, {@code jdk} or {@code bare-socket}
 * @param work see {@link WorkKind}
 * @param access how the client reaches the cluster
 * @param topics produced to or consumed
 * @param load what the work looks like
 * @param amount how much of it
 * @param producer settings of the producer by Kafka's names
 * @param consumer settings of the consumer by Kafka's names
 */
public record WorkSpec(String client, WorkKind work, Access access, Topics topics, Load load, Amount amount,
    Map<String, String> producer, Map<String, String> consumer) {

  /** Our own client, of this build. */
  public static final String DECANT = "decant";
  /** How every other build of it begins. */
  public static final String DECANT_PREFIX = DECANT + "-";
  /** Our own client behind Apache's interfaces, of this build: its calls are those of the peer. */
  public static final String DECANT_APACHE = DECANT_PREFIX + "apache";
  /** The peer's calls and constructors, in a JVM whose agent puts our own client in its place. */
  public static final String AGENT = "agent";
  /** How every release of the peer begins. */
  public static final String PEER_PREFIX = "kafka-clients-";
  /** The peer. */
  public static final String PEER = PEER_PREFIX + "4.3.1";
  /** Among the settings of a consumer in a group: how long a member may be silent, in milliseconds. */
  public static final String SESSION_TIMEOUT = "session.timeout.ms";
  /** The same: how often it is to be heard. */
  public static final String HEARTBEAT_INTERVAL = "heartbeat.interval.ms";
  /** Confluent's library for parallel work, on the peer. */
  public static final String PARALLEL_CONSUMER = "parallel-consumer";
  /** The container of listeners of Spring Kafka, on the peer. */
  public static final String SPRING_KAFKA = "spring-kafka";
  /** No client at all. */
  public static final String JDK = WorkKind.JDK;
  /** No client either, but a connection to the broker. */
  public static final String BARE_SOCKET = WorkKind.BARE_SOCKET;
  /**
   * How long a broker may hold back a fetch of who reads a whole topic again and again, in milliseconds. At the end of
   * the topic a fetch waits there that long, and only then can the next pass begin, so it is short, for all clients
   * alike.
   */
  public static final int FETCH_MAX_WAIT_MILLIS = 10;

  /**
   * How much of a topic handlers read, of {@link #WHOLE_TOPIC}. Partitions are not read evenly, and what a client does
   * when one of them is at its end is no part of the measurement.
   */
  public static final int READ_OF_TOPIC = 3;
  /** See {@link #READ_OF_TOPIC}. */
  public static final int WHOLE_TOPIC = 4;
  /** How long nothing may come from the JVM that feeds a topic before its reader fails. */
  public static final Duration FEED_PATIENCE = Duration.ofSeconds(20);

  /**
   * How a client reaches the cluster.
   *
   * @param bootstrap {@code host:port}, several with commas; empty until the cluster is there
   * @param tls whether the client is to encrypt its connections
   * @param clientConfig path of a client properties file, see {@link ClientConfig}; empty for none
   */
  public record Access(String bootstrap, boolean tls, String clientConfig) {

    /**
     * Without TLS, credentials or other settings.
     *
     * @param bootstrap {@code host:port}, several with commas; empty until the cluster is there
     * @return how to reach it
     */
    public static Access plain(String bootstrap) {
      return new Access(bootstrap, false, "");
    }
  }

  /**
   * The topics of a work, which all have as many partitions.
   *
   * @param name of the topic, or how the names of several begin; empty until they are there
   * @param count how many topics
   * @param partitions of each
   */
  public record Topics(String name, int count, int partitions) {

    /**
     * One topic that is not there yet.
     *
     * @param partitions of it
     * @return the topic
     */
    public static Topics one(int partitions) {
      return new Topics("", 1, partitions);
    }

    /**
     * Their names.
     *
     * @return as many as there are topics
     */
    public List<String> names() {
      return count == 1 ? List.of(name) : IntStream.range(0, count).mapToObj(each -> name + "-" + each).toList();
    }

    /** How many partitions all of them have together. */
    int partitionsOfAll() {
      return count * partitions;
    }
  }

  /**
   * What the work looks like.
   *
   * @param recordSizeBytes length of a value
   * @param payload {@code random} or {@code json-text}
   * @param threads how many work; of handlers: how many run at once
   * @param virtual whether these are virtual threads
   * @param ratePerSecond records per second; 0 for as many as can be
   * @param seed of the payloads
   * @param pollMillis how long who waits sleeps between looks at the result; 0 to wait for it
   * @param keys of the records
   * @param handlers what is done with each record
   */
  public record Load(int recordSizeBytes, String payload, int threads, boolean virtual, long ratePerSecond, long seed,
      long pollMillis, Keys keys, Handlers handlers) {

    /**
     * One thread, random bytes, as fast as can be.
     *
     * @param recordSizeBytes length of a value
     * @param seed of the payloads
     * @return a load
     */
    public static Load plain(int recordSizeBytes, long seed) {
      return new Load(recordSizeBytes, "random", 1, false, 0, seed, 0, Keys.NONE, Handlers.NONE);
    }
  }

  /**
   * The keys of the records.
   *
   * @param count how many there are; 0 for records without a key
   * @param hotPercent how many of a hundred records have the first key; the other records have any key
   */
  public record Keys(int count, int hotPercent) {
    /** Records have no key. */
    public static final Keys NONE = new Keys(0, 0);
  }

  /**
   * What handlers do with each record, in the works that have handlers.
   *
   * @param order which records wait for each other: {@code key}, {@code partition} or {@code none}
   * @param millis how long a handler sleeps; 0 for one that only counts
   * @param failPercent how many of a hundred records fail twice before they succeed
   * @param pauseMillis the pause before a failed record is tried again
   */
  public record Handlers(String order, int millis, int failPercent, int pauseMillis) {
    /** There are no handlers. */
    public static final Handlers NONE = new Handlers("key", 0, 0, 0);
  }

  /**
   * How much is done.
   *
   * @param warmUpRecords before the measurement, at least
   * @param warmUpMillis no longer than that, even if it is fewer records; 0 for as long as it takes
   * @param records measured; who reads a whole topic rounds up to whole passes; 0 for as many as the time allows
   * @param durationMillis measure no longer than that; 0 for as long as it takes
   * @param topicRecords how many records the topic has, to consume
   * @param transactionRecords how many records are sent in each transaction
   */
  public record Amount(long warmUpRecords, long warmUpMillis, long records, long durationMillis, long topicRecords,
      int transactionRecords) {

    /**
     * Without transactions, and with as long a warm-up as it takes.
     *
     * @param warmUpRecords before the measurement, at least
     * @param records measured; 0 for as many as the time allows
     * @param durationMillis measure no longer than that; 0 for as long as it takes
     * @param topicRecords how many records the topic has, to consume
     */
    public Amount(long warmUpRecords, long records, long durationMillis, long topicRecords) {
      this(warmUpRecords, 0, records, durationMillis, topicRecords, 0);
    }
  }

  /**
   * The same elsewhere.
   *
   * @param newAccess how the client reaches the cluster
   * @param name of the topic, or how the names of several begin
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
   * How many records the broker itself adds to those of a client: one in each partition for each transaction.
   *
   * @param records of the client
   * @return markers of commits
   */
  public long markers(long records) {
    return work.isTransactional() ? records / amount.transactionRecords * topics.partitions : 0;
  }

  /**
   * More or less of the same.
   *
   * @param newAmount how much is done
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

  /** What every client of this work begins with, by Kafka's names: where the cluster is, and the client config. */
  Map<String, Object> clientSettings() {
    Map<String, Object> settings = new HashMap<>(ClientConfig.read(access.clientConfig()).settings());
    settings.put("bootstrap.servers", access.bootstrap());
    return settings;
  }

  /** Whether the calls are those of Decant's own interface. */
  @JsonIgnore
  boolean isDecant() {
    return (client.equals(DECANT) || client.startsWith(DECANT_PREFIX)) && !isDecantApache();
  }

  /** Whether Decant is called by Apache's interfaces. */
  @JsonIgnore
  boolean isDecantApache() {
    return client.equals(DECANT_APACHE);
  }

  /** Whether the agent is to have switched what constructs the peer's client. */
  @JsonIgnore
  boolean isUnderAgent() {
    return client.equals(AGENT);
  }
}
