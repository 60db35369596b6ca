package dev.decant.kafka.apache;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerInterceptor;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;

/**
 * The application's interceptors, in their order. The exception of one is logged, and the next is called. Polling
 * thread only.
 */
final class ConsumerInterceptors<K, V> implements AutoCloseable {
  private static final Logger LOGGER = System.getLogger(ConsumerInterceptors.class.getName());

  private final List<ConsumerInterceptor<K, V>> all;

  ConsumerInterceptors(List<ConsumerInterceptor<K, V>> all) {
    this.all = List.copyOf(all);
  }

  List<ConsumerInterceptor<K, V>> all() {
    return all;
  }

  ConsumerRecords<K, V> onConsume(ConsumerRecords<K, V> records) {
    ConsumerRecords<K, V> changed = records;
    for (int i = 0; i < all.size(); i++) { // by index: no iterator is allocated
      try {
        changed = all.get(i).onConsume(changed);
      } catch (Exception e) {
        failed("onConsume", all.get(i), e);
      }
    }
    return changed;
  }

  void onCommit(Map<TopicPartition, OffsetAndMetadata> offsets) {
    for (ConsumerInterceptor<K, V> each : all) {
      try {
        each.onCommit(offsets);
      } catch (Throwable e) { // the application's callback must still be called
        failed("onCommit", each, e);
      }
    }
  }

  @Override
  public void close() {
    for (ConsumerInterceptor<K, V> each : all) {
      try {
        each.close();
      } catch (Throwable e) { // other parts must still be closed
        failed("close", each, e);
      }
    }
  }

  private static void failed(String method, ConsumerInterceptor<?, ?> interceptor, Throwable cause) {
    LOGGER.log(Level.WARNING, interceptor.getClass().getName() + "." + method + " has failed", cause);
  }
}
