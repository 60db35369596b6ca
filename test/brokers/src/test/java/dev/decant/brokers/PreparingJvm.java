package dev.decant.brokers;

import dev.decant.kafka.PreparedTransaction;
import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.producer.Transactions;
import dev.decant.kafka.serialization.Serdes;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/** Prepares a transaction for each line of its input, under the id and with the value that the line has. */
final class PreparingJvm {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private PreparingJvm() {}

  public static void main(String[] arguments) throws Exception {
    KafkaClient client = KafkaClient.connect(arguments[0]);
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      Transactions tx = client.transactions(line).open();
      Producer<String, String> producer = client.producer(Serdes.string(), Serdes.string()).topic(arguments[1])
          .transactions(tx).open();
      tx.begin();
      producer.send("k", line);
      PreparedTransaction prepared = tx.prepare(PATIENCE).orElseThrow();
      System.out.println("ok " + prepared.producerId() + " " + prepared.epoch());
    }
  }
}
