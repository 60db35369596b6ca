package com.example.shop;

import org.apache.kafka.clients.admin.NewTopic;
import org.springframework.boot.ApplicationRunner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.kafka.config.TopicBuilder;
import org.springframework.kafka.core.KafkaTemplate;

/** Sends orders and bills them. Nothing here knows of Decant: its starter is on the class path. */
@SpringBootApplication
public class Shop {
  static final String ORDERS = "orders";

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
  ApplicationRunner customers(KafkaTemplate<String, String> template) {
    return arguments -> {
      for (int customer = 1; customer <= 10; customer++) {
        template.send(ORDERS, "customer-" + customer, "100 apples");
      }
    };
  }
}
