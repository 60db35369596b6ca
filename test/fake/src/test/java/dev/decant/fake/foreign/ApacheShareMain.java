package dev.decant.fake.foreign;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.AcknowledgeType;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaShareConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.GroupIdNotFoundException;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * What Apache's share consumer (KIP-932) does with a fake cluster. Runs in a JVM of its own with the jar of one version
 * from 4.2 on, and prints each step that holds. Members acknowledge each record explicitly.
 */
@SuppressWarnings("NullAway") // a null fails the test
final class ApacheShareMain {
  private static final Duration SHORT = Duration.ofMillis(500);
  private static final int RECORDS = 20;

  private final String bootstrap;

  private ApacheShareMain(String bootstrap) {
    this.bootstrap = bootstrap;
  }

  /** Runs all steps against the address that is the first argument. */
  public static void main(String[] arguments) throws Exception {
    new ApacheShareMain(arguments[0]).run();
  }

  private void run() throws Exception {
    try (Admin admin = Admin.create(Map.<String, Object>of("bootstrap.servers", bootstrap))) {
      admin.createTopics(List.of(new NewTopic("ap-one", 1, (short) 1), new NewTopic("ap-two", 1, (short) 1))).all()
          .get();
      for (String group : List.of("ap-share-one", "ap-share-two")) {
        admin.incrementalAlterConfigs(Map.of(new ConfigResource(ConfigResource.Type.GROUP, group),
            List.of(new AlterConfigOp(new ConfigEntry("share.auto.offset.reset", "earliest"),
                AlterConfigOp.OpType.SET))))
            .all().get();
      }
      oneMember();
      twoMembers(admin);
    }
  }

  private static void require(boolean holds, Object shown) {
    if (!holds) {
      throw new IllegalStateException("the step does not hold: " + shown);
    }
  }

  private KafkaShareConsumer<String, String> member(String group, String topic, int mostRecords) {
    KafkaShareConsumer<String, String> member = new KafkaShareConsumer<>(
        Map.of("bootstrap.servers", bootstrap, "group.id", group, "share.acknowledgement.mode", "explicit",
            "max.poll.records", mostRecords),
        new StringDeserializer(), new StringDeserializer());
    member.subscribe(List.of(topic));
    return member;
  }

  private void send(String topic, Collection<String> values) throws Exception {
    try (KafkaProducer<String, String> producer = new KafkaProducer<>(Map.of("bootstrap.servers", bootstrap),
        new StringSerializer(), new StringSerializer())) {
      for (String value : values) {
        var unused = producer.send(new ProducerRecord<>(topic, value)).get(); // a batch each
      }
    }
  }

  private static void commit(KafkaShareConsumer<String, String> member) {
    member.commitSync().forEach((partition, error) -> require(error.isEmpty(), error));
  }

  private static String delivery(ConsumerRecord<String, String> record) {
    return record.value() + " " + record.deliveryCount().orElseThrow();
  }

  /** A record that is released comes again, and one that is rejected does not. */
  private void oneMember() throws Exception {
    send("ap-one", List.of("accept", "release", "reject"));
    try (KafkaShareConsumer<String, String> member = member("ap-share-one", "ap-one", 100)) {
      List<String> seen = new ArrayList<>();
      boolean isEndSent = false;
      while (!seen.contains("end 1")) { // bounded by the parent
        for (ConsumerRecord<String, String> record : member.poll(SHORT)) {
          seen.add(delivery(record));
          member.acknowledge(record, switch (delivery(record)) {
            case "release 1" -> AcknowledgeType.RELEASE;
            case "reject 1" -> AcknowledgeType.REJECT;
            default -> AcknowledgeType.ACCEPT;
          });
        }
        commit(member);
        if (seen.size() >= 4 && !isEndSent) {
          send("ap-one", List.of("end"));
          isEndSent = true;
        }
      }
      require(Set.copyOf(seen).equals(Set.of("accept 1", "release 1", "reject 1", "release 2", "end 1"))
          && seen.size() == 5, seen);
    }
    System.out.println("done share acknowledgements");
  }

  /** Two members have different records of one partition; what one of them releases is delivered once more. */
  private void twoMembers(Admin admin) throws Exception {
    Set<String> sent = new HashSet<>();
    for (int i = 0; i < RECORDS; i++) {
      sent.add("value-" + i);
    }
    try (KafkaShareConsumer<String, String> one = member("ap-share-two", "ap-two", 1);
        KafkaShareConsumer<String, String> two = member("ap-share-two", "ap-two", 1)) {
      while (membersWithPartitions(admin) < 2) {
        one.poll(SHORT);
        two.poll(SHORT);
      }
      send("ap-two", sent);
      List<String> ofOne = new ArrayList<>();
      List<String> ofTwo = new ArrayList<>();
      List<String> released = new ArrayList<>();
      while (ofOne.size() + ofTwo.size() < RECORDS) {
        accept(one, ofOne, released);
        accept(two, ofTwo, null);
      }
      Set<String> all = new HashSet<>(ofOne);
      all.addAll(ofTwo);
      require(all.equals(sent) && !ofOne.isEmpty() && !ofTwo.isEmpty() && released.size() == 1,
          ofOne + " " + ofTwo + " " + released);
    }
    System.out.println("done share members");
  }

  private static long membersWithPartitions(Admin admin) throws Exception {
    try {
      return admin.describeShareGroups(List.of("ap-share-two")).all().get().get("ap-share-two").members().stream()
          .filter(member -> !member.assignment().topicPartitions().isEmpty()).count();
    } catch (ExecutionException e) {
      require(e.getCause() instanceof GroupIdNotFoundException, e); // no member has joined yet
      return 0;
    }
  }

  /** Accepts what a member gets; releases its first record if there is a list for that. */
  private static void accept(KafkaShareConsumer<String, String> member, List<String> accepted, List<String> released) {
    for (ConsumerRecord<String, String> record : member.poll(SHORT)) {
      boolean releases = released != null && released.isEmpty();
      (releases ? released : accepted).add(record.value());
      member.acknowledge(record, releases ? AcknowledgeType.RELEASE : AcknowledgeType.ACCEPT);
    }
    commit(member);
  }
}
