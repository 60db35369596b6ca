package dev.decant.flink;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.serialization.SimpleStringSchema;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.api.connector.source.util.ratelimit.RateLimiterStrategy;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.connector.base.DeliveryGuarantee;
import org.apache.flink.connector.datagen.source.DataGeneratorSource;
import org.apache.flink.connector.kafka.sink.KafkaRecordSerializationSchema;
import org.apache.flink.connector.kafka.sink.KafkaSink;
import org.apache.flink.connector.kafka.sink.TransactionNamingStrategy;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.runtime.jobgraph.SavepointRestoreSettings;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.minicluster.MiniClusterConfiguration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.graph.StreamGraph;
import org.jspecify.annotations.Nullable;

/** A job that writes the numbers from 0 on to a topic, each as one record, and the Flink cluster that runs it. */
@SuppressWarnings("try") // Flink's close throws InterruptedException among others
final class Job implements AutoCloseable {
  static final String PREFIX = "numbers";
  private static final Duration TIMEOUT = Duration.ofMinutes(2);

  private final MiniCluster cluster;
  private @Nullable JobID running;

  private Job(MiniCluster cluster) {
    this.cluster = cluster;
  }

  static Job start(int taskManagers, int slots) throws Exception {
    Configuration settings = new Configuration();
    settings.setString("taskmanager.memory.managed.size", "8m");
    settings.setString("taskmanager.memory.network.min", "8m");
    settings.setString("taskmanager.memory.network.max", "8m");
    settings.setString("rest.port", "0");
    MiniCluster cluster = new MiniCluster(new MiniClusterConfiguration.Builder().setConfiguration(settings)
        .setNumTaskManagers(taskManagers).setNumSlotsPerTaskManager(slots).withRandomPorts().build());
    cluster.start();
    return new Job(cluster);
  }

  MiniCluster cluster() {
    return cluster;
  }

  static KafkaRecordSerializationSchema<String> serializer(String topic) {
    return KafkaRecordSerializationSchema.<String>builder().setTopic(topic)
        .setValueSerializationSchema(new SimpleStringSchema()).build();
  }

  private static Properties producer() {
    Properties settings = new Properties();
    settings.setProperty("transaction.timeout.ms", "600000");
    return settings;
  }

  static DecantKafkaSink<String> decant(String bootstrap, String topic, DeliveryGuarantee guarantee,
      TransactionNamingStrategy naming) {
    return DecantKafkaSink.<String>builder().setBootstrapServers(bootstrap).setRecordSerializer(serializer(topic))
        .setDeliveryGuarantee(guarantee).setTransactionalIdPrefix(PREFIX + "-" + topic)
        .setTransactionNamingStrategy(naming).setKafkaProducerConfig(producer()).build();
  }

  /** Sends with checkpoints and full batches only. */
  static DecantKafkaSink<String> lingering(String bootstrap, String topic, DeliveryGuarantee guarantee) {
    return DecantKafkaSink.<String>builder().setBootstrapServers(bootstrap).setRecordSerializer(serializer(topic))
        .setDeliveryGuarantee(guarantee).setTransactionalIdPrefix(PREFIX + "-" + topic)
        .setKafkaProducerConfig(producer()).setProperty("linger.ms", "60000").build();
  }

  static KafkaSink<String> apaches(String bootstrap, String topic, TransactionNamingStrategy naming) {
    return KafkaSink.<String>builder().setBootstrapServers(bootstrap).setRecordSerializer(serializer(topic))
        .setDeliveryGuarantee(DeliveryGuarantee.EXACTLY_ONCE).setTransactionalIdPrefix(PREFIX + "-" + topic)
        .setTransactionNamingStrategy(naming).setKafkaProducerConfig(producer()).build();
  }

  /**
   * The plan of the job.
   *
   * @param count of numbers
   * @param perSecond how many of them at most
   */
  static StreamGraph plan(Sink<String> sink, long count, double perSecond, boolean chained) {
    Configuration settings = new Configuration();
    settings.setString("execution.checkpointing.interval", "150ms");
    settings.setString("execution.checkpointing.timeout", "20s");
    settings.setString("execution.checkpointing.tolerable-failed-checkpoints", "1000");
    settings.setString("execution.checkpointing.externalized-checkpoint-retention", "NO_EXTERNALIZED_CHECKPOINTS");
    settings.setString("restart-strategy.type", "fixed-delay");
    settings.setString("restart-strategy.fixed-delay.attempts", "1000");
    settings.setString("restart-strategy.fixed-delay.delay", "50ms");
    StreamExecutionEnvironment environment = new StreamExecutionEnvironment(settings);
    environment.setParallelism(2);
    if (!chained) {
      environment.disableOperatorChaining();
    }
    environment.fromSource(new DataGeneratorSource<>(number -> Long.toString(number), count,
        RateLimiterStrategy.perSecond(perSecond), Types.STRING), WatermarkStrategy.noWatermarks(), "numbers")
        .uid("numbers").sinkTo(sink).uid("sink");
    return environment.getStreamGraph();
  }

  void submit(StreamGraph plan, @Nullable String savepoint) throws Exception {
    if (savepoint != null) {
      plan.setSavepointRestoreSettings(SavepointRestoreSettings.forPath(savepoint));
    }
    running = cluster.submitJob(plan).get(TIMEOUT.toSeconds(), TimeUnit.SECONDS).getJobID();
  }

  /** Stops the job and returns its savepoint. */
  String stop(Path directory) throws Exception {
    JobID id = Objects.requireNonNull(running);
    String savepoint = cluster.stopWithSavepoint(id, directory.toUri().toString(), false,
        SavepointFormatType.CANONICAL).get(TIMEOUT.toSeconds(), TimeUnit.SECONDS);
    await();
    return savepoint;
  }

  /** Takes a savepoint and cancels the job, which may have committed it or not. */
  String saveAndCancel(Path directory) throws Exception {
    JobID id = Objects.requireNonNull(running);
    String savepoint = cluster.triggerSavepoint(id, directory.toUri().toString(), true, SavepointFormatType.CANONICAL)
        .get(TIMEOUT.toSeconds(), TimeUnit.SECONDS);
    cluster.requestJobResult(id).get(TIMEOUT.toSeconds(), TimeUnit.SECONDS);
    return savepoint;
  }

  /** Cancels the job. */
  void cancel() throws Exception {
    JobID id = Objects.requireNonNull(running);
    var unused = cluster.cancelJob(id).get(TIMEOUT.toSeconds(), TimeUnit.SECONDS);
    cluster.requestJobResult(id).get(TIMEOUT.toSeconds(), TimeUnit.SECONDS);
  }

  /** Waits until the job has ended well. */
  void await() throws Exception {
    cluster.requestJobResult(Objects.requireNonNull(running)).get(TIMEOUT.toSeconds(), TimeUnit.SECONDS)
        .toJobExecutionResult(Job.class.getClassLoader());
  }

  @Override
  public void close() throws Exception {
    cluster.close();
  }
}
