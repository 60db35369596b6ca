package com.example.shop;

import org.apache.kafka.clients.admin.NewTopic;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.kafka.config.TopicBuilder;
import org.springframework.scheduling.annotation.EnableScheduling;

/**
 * Takes orders and bills them. Nothing here, in {@link Customers} and in {@link Billing} knows of Decant: its starter
 * is on the class path. {@link Shipping} uses the native client beside them.
 */
@SpringBootApplication
@EnableScheduling
public class Shop {
  static final String ORDERS = "orders";
  static final String BILLS = "bills";
  static final String PARCELS = "parcels";

  /**
   * Starts the application.
   *
   * @param arguments of the command line
   */
  public static void main(String[] arguments) {
    SpringApplication.run(Shop.class, arguments);
  }

  @Bean
  NewTopic orders() {
    return TopicBuilder.name(ORDERS).partitions(6).build();
  }

  @Bean
  NewTopic bills() {
    return TopicBuilder.name(BILLS).partitions(6).build();
  }

  @Bean
  NewTopic parcels() {
    return TopicBuilder.name(PARCELS).partitions(6).build();
  }
}
