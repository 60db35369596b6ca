package dev.decant.lab.driver;

import io.confluent.parallelconsumer.ParallelConsumerOptions;
import io.confluent.parallelconsumer.ParallelConsumerOptions.ProcessingOrder;
import io.confluent.parallelconsumer.ParallelStreamProcessor;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** Confluent's parallel-consumer. Only concurrency, order and the retry's pause differ from its defaults. */
final class ParallelConsumerHandlers implements HandlerRuntime {
  private final ParallelStreamProcessor<byte[], byte[]> processor;

  ParallelConsumerHandlers(WorkSpec spec, RecordTask task) {
    Map<String, Object> settings = HandlerRuntime.apacheSettings(spec);
    settings.put("enable.auto.commit", "false"); // parallel-consumer commits by itself
    Duration pause = HandlerRuntime.pause(spec);
    ParallelConsumerOptions<byte[], byte[]> options = ParallelConsumerOptions.<byte[], byte[]>builder()
        .consumer(ApacheClients.consumer(spec, settings)).ordering(order(spec.load().handlers().order()))
        .maxConcurrency(spec.load().threads()).retryDelayProvider(record -> pause).build();
    processor = ParallelStreamProcessor.createEosStreamProcessor(options);
    processor.subscribe(List.of(spec.topic()));
    processor.poll(context -> {
      ByteBuffer value = ByteBuffer.wrap(context.value());
      task.handle(value.getInt(), value.getInt(), value.getLong());
    });
  }

  private static ProcessingOrder order(String name) {
    return switch (name) {
      case "key" -> ProcessingOrder.KEY;
      case "partition" -> ProcessingOrder.PARTITION;
      default -> ProcessingOrder.UNORDERED;
    };
  }

  @Override
  public void close() {
    processor.closeDontDrainFirst();
  }
}
