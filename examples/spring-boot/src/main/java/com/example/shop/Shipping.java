package com.example.shop;

import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.consumer.ConsumerRecord;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.serialization.Serdes;
import dev.decant.kafka.work.Retry;
import dev.decant.kafka.work.Work;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * Ships what was billed, by the native client: the starter makes it of the properties {@code spring.kafka}. Its
 * consumer handles 200 records at once on virtual threads.
 */
@Configuration(proxyBeanMethods = false)
class Shipping {
  private static final Logger LOGGER = LoggerFactory.getLogger(Shipping.class);

  /** Needs no broker to start: until there is one, sends wait. */
  @Bean
  Producer<String, String> parcelProducer(KafkaClient client) {
    return client.producer(Serdes.string(), Serdes.string()).topic(Shop.PARCELS).openAtOnce();
  }

  /** Closed with the context: records that were taken are shipped, and offsets are committed. */
  @Bean
  Work shipments(KafkaClient client, Producer<String, String> parcels) throws InterruptedException {
    return Work.on(client, Serdes.string(), Serdes.string()).group("shipping").subscribe(Shop.BILLS)
        .concurrency(200).onVirtualThreads().retry(Retry.inPlace(10, Duration.ofMillis(100), Duration.ofSeconds(5)))
        .open(bill -> ship(bill, parcels));
  }

  private static void ship(ConsumerRecord<String, String> bill, Producer<String, String> parcels)
      throws InterruptedException {
    parcels.sendAndWait(bill.key(), bill.value());
    LOGGER.info("shipped {} to {}", bill.value(), bill.key());
  }
}
