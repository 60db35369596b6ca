package dev.decant.flink;

import java.lang.management.ManagementFactory;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import java.util.UUID;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.api.connector.sink2.SinkWriter;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.api.connector.source.lib.NumberSequenceSource;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.connector.base.DeliveryGuarantee;
import org.apache.flink.connector.kafka.sink.DefaultKafkaSinkContext;
import org.apache.flink.connector.kafka.sink.KafkaRecordSerializationSchema;
import org.apache.flink.connector.kafka.sink.KafkaSink;
import org.apache.flink.connector.kafka.source.KafkaSource;
import org.apache.flink.connector.kafka.source.enumerator.initializer.OffsetsInitializer;
import org.apache.flink.connector.kafka.source.reader.deserializer.KafkaRecordDeserializationSchema;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.jspecify.annotations.Nullable;

/**
 * One sample of {@link Throughput}: runs the same job three times and prints records a second, CPU of the process and
 * CPU of its compilers and collectors for the last one.
 */
final class ThroughputJvm {
  private static final int BYTES = 100;
  private static final int ROUNDS = 3;
  static final int PARTITIONS = 4;

  private static final KafkaRecordSerializationSchema.KafkaSinkContext NO_TOPICS = new DefaultKafkaSinkContext(0, 1,
      new Properties());

  /** Keeps the compiler from leaving the control's serializer out. */
  @SuppressWarnings("UnusedVariable")
  private static volatile @Nullable Object sink;

  private ThroughputJvm() {}

  public static void main(String[] arguments) throws Exception {
    String bootstrap = arguments[0];
    String topic = arguments[1];
    String job = arguments[2];
    long count = Long.parseLong(arguments[3]);
    String line = "";
    for (int round = 1; round <= ROUNDS; round++) {
      long cpu = processCpu();
      long compiler = ManagementFactory.getCompilationMXBean().getTotalCompilationTime();
      long begun = System.nanoTime();
      StreamExecutionEnvironment environment = environment();
      if (job.equals("source")) {
        source(environment, source(bootstrap, topic, OffsetsInitializer.latest()));
      } else if (job.equals("no source")) {
        source(environment, new ClientlessSource(source(bootstrap, topic, endOf(topic, count)), BYTES));
      } else {
        sink(environment, job, bootstrap, topic, count);
      }
      environment.execute(job);
      long nanos = System.nanoTime() - begun;
      long used = processCpu() - cpu;
      line = String.format("%.0f %.3f %d", count * 1e9 / nanos, used / 1e3 / count,
          ManagementFactory.getCompilationMXBean().getTotalCompilationTime() - compiler);
    }
    System.out.println("ok " + line);
  }

  private static long processCpu() {
    return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
        .getProcessCpuTime();
  }

  private static StreamExecutionEnvironment environment() {
    Configuration settings = new Configuration();
    settings.setString("execution.checkpointing.interval", "1s");
    settings.setString("pipeline.object-reuse", "true");
    settings.setString("rest.port", "0");
    StreamExecutionEnvironment environment = StreamExecutionEnvironment.createLocalEnvironment(1, settings);
    environment.setParallelism(1);
    return environment;
  }

  private static void sink(StreamExecutionEnvironment environment, String client, String bootstrap, String topic,
      long count) {
    environment.fromSource(new NumberSequenceSource(1, count), WatermarkStrategy.noWatermarks(), "numbers")
        .sinkTo(switch (client) {
          case "none" -> (Sink<Long>) context -> new SerializingWriter(records(topic));
          case "apache" -> apaches(bootstrap, topic);
          case "decant" -> decants(bootstrap, topic);
          default -> throw new IllegalArgumentException(client);
        });
  }

  /** The control: what the job costs with its serializer, and without a client. */
  private record SerializingWriter(KafkaRecordSerializationSchema<Long> serializer) implements SinkWriter<Long> {
    @Override
    public void write(Long element, Context context) {
      sink = serializer.serialize(element, NO_TOPICS, context.timestamp());
    }

    @Override
    public void flush(boolean endOfInput) {}

    @Override
    public void close() {}
  }

  private static Properties producer() {
    Properties settings = new Properties();
    settings.setProperty("transaction.timeout.ms", "600000");
    settings.setProperty("linger.ms", "5");
    return settings;
  }

  private static KafkaRecordSerializationSchema<Long> records(String topic) {
    return (number, context, timestamp) -> {
      byte[] value = new byte[BYTES];
      value[0] = (byte) (long) number;
      return new ProducerRecord<>(topic, value);
    };
  }

  private static Sink<Long> apaches(String bootstrap, String topic) {
    return KafkaSink.<Long>builder().setBootstrapServers(bootstrap).setRecordSerializer(records(topic))
        .setDeliveryGuarantee(DeliveryGuarantee.EXACTLY_ONCE).setTransactionalIdPrefix(UUID.randomUUID().toString())
        .setKafkaProducerConfig(producer()).build();
  }

  private static Sink<Long> decants(String bootstrap, String topic) {
    return DecantKafkaSink.<Long>builder().setBootstrapServers(bootstrap).setRecordSerializer(records(topic))
        .setDeliveryGuarantee(DeliveryGuarantee.EXACTLY_ONCE).setTransactionalIdPrefix(UUID.randomUUID().toString())
        .setKafkaProducerConfig(producer()).build();
  }

  private static OffsetsInitializer endOf(String topic, long count) {
    Map<TopicPartition, Long> ends = new HashMap<>();
    for (int partition = 0; partition < PARTITIONS; partition++) {
      ends.put(new TopicPartition(topic, partition), count / PARTITIONS);
    }
    return OffsetsInitializer.offsets(ends);
  }

  /** The same for both clients: the agent of the command line changes which one it is. */
  private static KafkaSource<byte[]> source(String bootstrap, String topic, OffsetsInitializer end) {
    return KafkaSource.<byte[]>builder().setBootstrapServers(bootstrap).setTopics(topic)
        .setGroupId(UUID.randomUUID().toString()).setStartingOffsets(OffsetsInitializer.earliest()).setBounded(end)
        .setDeserializer(KafkaRecordDeserializationSchema.valueOnly(ByteArrayDeserializer.class)).build();
  }

  private static void source(StreamExecutionEnvironment environment, Source<byte[], ?, ?> source) {
    environment.fromSource(source, WatermarkStrategy.noWatermarks(), "records",
        PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO).sinkTo(new DiscardingSink<>());
  }
}
