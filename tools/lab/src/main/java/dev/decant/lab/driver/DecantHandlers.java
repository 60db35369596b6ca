package dev.decant.lab.driver;

import dev.decant.buffer.BytesReader;
import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.serialization.Serdes;
import dev.decant.kafka.work.Order;
import dev.decant.kafka.work.Retry;
import dev.decant.kafka.work.Work;
import dev.decant.kafka.work.WorkBuilder;
import java.time.Duration;

/** Decant's parallel work. */
final class DecantHandlers implements HandlerRuntime {
  private static final int RETRIES = 2;
  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(5);

  private final KafkaClient client;
  private final Work work;

  DecantHandlers(WorkSpec spec, RecordTask task) throws InterruptedException {
    client = DecantClients.builder(spec).clientId("work").build();
    try {
      WorkSpec.Load load = spec.load();
      WorkBuilder<byte[], byte[]> builder = Work.on(client, Serdes.bytes(), Serdes.bytes())
          .group(HandlerRuntime.newGroup()).subscribe(spec.topic()).order(order(load.handlers().order()))
          .concurrency(load.threads()).consumer(consumer -> consumer.properties(spec.consumer()));
      if (load.virtual()) {
        builder.onVirtualThreads();
      }
      if (load.handlers().failPercent() > 0) {
        builder.retry(Retry.inPlace(RETRIES, HandlerRuntime.pause(spec)));
      }
      work = builder.open(record -> {
        BytesReader value = record.valueBytes();
        task.handle(value.readInt(), value.readInt(), value.readLong());
      });
    } catch (Throwable e) {
      client.close();
      throw e;
    }
  }

  private static Order order(String name) {
    return switch (name) {
      case "key" -> Order.BY_KEY;
      case "partition" -> Order.BY_PARTITION;
      default -> Order.NONE;
    };
  }

  @Override
  public void close() {
    work.close(CLOSE_TIMEOUT);
    client.close();
  }
}
