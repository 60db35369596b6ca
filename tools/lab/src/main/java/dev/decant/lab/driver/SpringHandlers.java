package dev.decant.lab.driver;

import java.nio.ByteBuffer;
import java.util.Map;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.springframework.kafka.core.DefaultKafkaConsumerFactory;
import org.springframework.kafka.listener.ConcurrentMessageListenerContainer;
import org.springframework.kafka.listener.ContainerProperties;
import org.springframework.kafka.listener.DefaultErrorHandler;
import org.springframework.kafka.listener.MessageListener;
import org.springframework.util.backoff.FixedBackOff;

/** Spring Kafka's listener container: each of its threads has a consumer, and handles its records one by one. */
final class SpringHandlers implements HandlerRuntime {
  private static final int RETRIES = 2;

  private final ConcurrentMessageListenerContainer<byte[], byte[]> container;

  SpringHandlers(WorkSpec spec, RecordTask task) {
    // its log of each failure on standard error would cost more than the failure
    System.setProperty("org.apache.commons.logging.Log", "org.apache.commons.logging.impl.NoOpLog");
    Map<String, Object> settings = HandlerRuntime.apacheSettings(spec);
    ContainerProperties properties = new ContainerProperties(spec.topic());
    properties.setMessageListener((MessageListener<byte[], byte[]>) record -> {
      ByteBuffer value = ByteBuffer.wrap(record.value());
      task.handle(value.getInt(), value.getInt(), value.getLong());
    });
    container = new ConcurrentMessageListenerContainer<>(
        new DefaultKafkaConsumerFactory<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer()),
        properties);
    container.setConcurrency(spec.load().threads());
    DefaultErrorHandler errors = new DefaultErrorHandler(
        new FixedBackOff(HandlerRuntime.pause(spec).toMillis(), RETRIES));
    errors.setSeekAfterError(false); // keep the polled records, so that they need not be fetched again
    container.setCommonErrorHandler(errors);
    container.start();
  }

  @Override
  public void close() {
    container.stop();
  }
}
