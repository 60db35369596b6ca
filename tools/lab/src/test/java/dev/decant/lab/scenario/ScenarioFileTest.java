package dev.decant.lab.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.lab.driver.WorkKind;
import dev.decant.lab.driver.WorkSpec;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ScenarioFileTest {
  private static final String HEAD = "title = T\nclients = decant, kafka-clients-old\nwork = produce\nrecords = 10\n";

  private static Scenario parse(String more) {
    return ScenarioFile.parse("mine", "mine.scenario", HEAD + more);
  }

  @Test
  void aSettingHoldsForAllClientsAndAnotherOneForTheClientItNames() {
    Scenario scenario = parse("""
        # comments and empty lines are nothing

        threads = 8
        threads @ kafka-clients-old = 2
        producer.acks = all
        producer.linger.ms @ kafka-clients-old = 7
        jvm @ decant = -Xms64m  -Xmx64m
        """);

    Contender ours = scenario.contenders().getFirst();
    Contender theirs = scenario.contenders().get(1);
    assertThat(ours.spec(false, 1).client()).isEqualTo(WorkSpec.DECANT);
    assertThat(ours.spec(false, 1).load().threads()).isEqualTo(8);
    assertThat(ours.spec(false, 1).producer()).isEqualTo(Map.of("acks", "all"));
    assertThat(ours.jvmArguments()).containsExactly("-Xms64m", "-Xmx64m");
    assertThat(theirs.spec(false, 1).client()).isEqualTo(WorkSpec.PEER);
    assertThat(theirs.spec(false, 1).load().threads()).isEqualTo(2);
    assertThat(theirs.spec(false, 1).producer()).isEqualTo(Map.of("acks", "all", "linger.ms", "7"));
    assertThat(theirs.jvmArguments()).isEmpty();
    assertThat(scenario.work()).isEqualTo(WorkKind.named("produce"));
  }

  @Test
  void severalTopicsAreForProducingAndForConsumingInAGroup() {
    Scenario scenario = parse("topics = 100\ntopics @ kafka-clients-old = 1\npartitions = 6\n");

    WorkSpec ours = scenario.contenders().getFirst().spec(false, 1).on(WorkSpec.Access.plain(""), "t");
    assertThat(ours.topics()).isEqualTo(new WorkSpec.Topics("t", 100, 6));
    assertThat(ours.topics().names()).hasSize(100).startsWith("t-0", "t-1").doesNotHaveDuplicates();
    assertThat(scenario.contenders().get(1).spec(false, 1).on(WorkSpec.Access.plain(""), "t").topics().names())
        .containsExactly("t");
    assertThatThrownBy(() -> parse("topics = 1001\n")).hasMessageContaining("line 5: topics: must be 1 to 1000");
    assertThatThrownBy(() -> parse("topics = 500\npartitions = 21\n"))
        .hasMessageContaining("line 5: topics: 500 of 21 partitions are more than 10000 partitions");
    String consuming = HEAD.replace("work = produce", "work = consume\ntopic.records = 9") + "topics = 2\n";
    assertThatThrownBy(() -> ScenarioFile.parse("m", "m", consuming))
        .hasMessage("m, line 6: topics: more than 1 is for the works produce and consume, and the latter needs"
            + " consumer.group.protocol");
    assertThat(ScenarioFile.parse("m", "m", consuming + "consumer.group.protocol = consumer\n").contenders().getFirst()
        .filling(false, 1).topics()).isEqualTo(new WorkSpec.Topics("", 2, 6));
  }

  @Test
  void aShortRunHasItsOwnAmountsWhereTheFileNamesThem() {
    Scenario scenario = parse("records.quick = 3\nwarm-up = 1_000\nwarm-up.seconds.quick = 2\n");

    WorkSpec.Amount full = scenario.contenders().getFirst().spec(false, 1).amount();
    WorkSpec.Amount quick = scenario.contenders().getFirst().spec(true, 1).amount();
    assertThat(full).isEqualTo(new WorkSpec.Amount(1000, 10, 0, 0));
    assertThat(quick).isEqualTo(new WorkSpec.Amount(1000, 2000, 3, 0, 0, 0));
  }

  @Test
  void recordsAndSecondsTogetherAreTwoBounds() {
    WorkSpec.Amount quick = parse("seconds.quick = 4\n").contenders().getFirst().spec(true, 1).amount();
    assertThat(quick).isEqualTo(new WorkSpec.Amount(1, 10, 4000, 0));
  }

  @Test
  void aWorkThatNoClockEndsIsRefusedSeconds() {
    String text = HEAD.replace("work = produce", "work = pending") + "seconds = 2\n";

    assertThatThrownBy(() -> ScenarioFile.parse("mine", "mine.scenario", text)).isInstanceOf(ScenarioException.class)
        .hasMessage("mine.scenario, line 5: seconds: the work pending does a number of records; say records instead");
  }

  @Test
  void clientsTakeTurnsThereAndBackUnlessAScenarioSaysHowOften() {
    assertThat(parse("turns = 3\n").round(false)).extracting(Contender::label).containsExactly("decant",
        "kafka-clients-old", "kafka-clients-old", "decant", "decant", "kafka-clients-old");

    Scenario scenario = parse("turns.quick = 1\nthreads = 4\nthreads.quick = 2\n");

    assertThat(scenario.round(false)).extracting(Contender::label).containsExactly("decant", "kafka-clients-old",
        "kafka-clients-old", "decant");
    assertThat(scenario.round(true)).extracting(Contender::label).containsExactly("decant", "kafka-clients-old");
    assertThat(scenario.contenders().getFirst().spec(false, 1).load().threads()).isEqualTo(4);
    assertThat(scenario.contenders().getFirst().spec(true, 1).load().threads()).isEqualTo(2);
    assertThat(scenario.commonLines()).as("a comparison needs pairs of samples").doesNotContain("turns")
        .contains("threads.quick = 2");
  }

  @Test
  void aFeederWritesWhatIsReadMeanwhileAndAFillerWhatIsReadAgainAndAgain() {
    Scenario tail = ScenarioFile.parse("t", "t", """
        title = T
        clients = kafka-clients
        work = tail
        feed.rate = 70
        producer.acks = 1
        seconds = 2
        """);
    Scenario consume = ScenarioFile.parse("c", "c", """
        title = T
        clients = decant, kafka-clients
        work = consume
        records = 9
        topic.records = 5
        consumer.max.poll.records @ decant = 1
        """);

    WorkSpec feeder = tail.contenders().getFirst().feeder(1);
    assertThat(feeder.client()).isEqualTo(WorkSpec.DECANT);
    assertThat(feeder.load().ratePerSecond()).isEqualTo(70);
    assertThat(feeder.producer()).isEqualTo(Map.of("acks", "1"));
    assertThat(consume.contenders().getFirst().filling(false, 1))
        .isEqualTo(consume.contenders().get(1).filling(false, 1));
    assertThat(consume.contenders().getFirst().filling(false, 1).amount().records()).isEqualTo(5);
  }

  @Test
  void decantIsAMemberOfAGroupTooWhereTheFileSaysSoButForAColdStart() {
    String text = """
        title = T
        clients = decant
        work = consume
        consumer.group.protocol = consumer
        topic.records = 5
        records = 5
        """;
    assertThat(ScenarioFile.parse("t", "t", text).contenders().getFirst().spec(true, 1).consumer())
        .isEqualTo(Map.of("group.protocol", "consumer"));
    assertThatThrownBy(() -> ScenarioFile.parse("t", "t", text.replace("consume\n", "cold-start\n")))
        .isInstanceOf(ScenarioException.class).hasMessageContaining("line 4").hasMessageContaining("usual protocol");
  }

  @Test
  void membersOfAGroupHaveAProtocolASessionAndAPartitionEach() {
    String good = """
        title = T
        clients = decant
        work = churn
        feed.rate = 70
        records = 3
        threads = 6
        partitions = 6
        consumer.group.protocol = classic
        consumer.session.timeout.ms = 2000
        consumer.heartbeat.interval.ms = 300
        """;
    assertThat(ScenarioFile.parse("t", "t", good).work()).isEqualTo(WorkKind.named("churn"));
    assertThatThrownBy(() -> ScenarioFile.parse("t", "t", good.replace("classic", "gossip")))
        .isInstanceOf(ScenarioException.class).hasMessageContaining("line 8")
        .hasMessageContaining("consumer or classic");
    assertThatThrownBy(() -> ScenarioFile.parse("t", "t", good.replace("consumer.session.timeout.ms = 2000\n", "")))
        .isInstanceOf(ScenarioException.class).hasMessageContaining("session.timeout.ms");
    assertThatThrownBy(() -> ScenarioFile.parse("t", "t", good.replace("threads = 6", "threads = 7")))
        .isInstanceOf(ScenarioException.class).hasMessageContaining("line 6").hasMessageContaining("a partition");
  }

  /** Returns the file of a scenario in which the bare socket has its own work, in line 4. */
  private static String besideBareSocket(String work, String bare, String more) {
    return "title = T\nclients = decant, bare-socket\nwork = " + work + "\nwork @ bare-socket = " + bare + "\n" + more;
  }

  @Test
  void theBareSocketMakesRoundTripsOnOneThread() {
    String text = besideBareSocket("send-and-wait", "round-trip", "records = 5\n");
    WorkSpec bare = ScenarioFile.parse("t", "t", text).contenders().get(1).spec(false, 1);
    assertThat(bare.client()).isEqualTo(WorkSpec.BARE_SOCKET);
    assertThat(bare.work()).isEqualTo(WorkKind.named("round-trip"));
    assertThatThrownBy(() -> ScenarioFile.parse("t", "t", text.replace("work @ bare-socket = round-trip\n", "")))
        .isInstanceOf(ScenarioException.class).hasMessageContaining("the works of the client bare-socket");
    assertThatThrownBy(() -> ScenarioFile.parse("t", "t", text + "threads = 2\n"))
        .isInstanceOf(ScenarioException.class).hasMessageContaining("line 6").hasMessageContaining("one thread");
  }

  @Test
  void theBareSocketFollowsWhatIsWrittenOnOneThread() {
    String text = besideBareSocket("tail", "bare-tail", "feed.rate = 70\nrecords = 5\n");
    Contender bare = ScenarioFile.parse("t", "t", text).contenders().get(1);
    assertThat(bare.spec(false, 1).client()).isEqualTo(WorkSpec.BARE_SOCKET);
    assertThat(bare.work()).isEqualTo(WorkKind.named("bare-tail"));
    assertThat(bare.feeder(1).load().ratePerSecond()).isEqualTo(70);
    assertThatThrownBy(() -> ScenarioFile.parse("t", "t", text.replace("work @ bare-socket = bare-tail\n", "")))
        .isInstanceOf(ScenarioException.class)
        .hasMessageContaining(
            "round-trip, bare-connect, bare-tail, bare-consume, bare-produce, bare-send-and-wait and"
                + " bare-end-to-end are the works of the client bare-socket");
    assertThatThrownBy(() -> ScenarioFile.parse("t", "t", text + "threads @ bare-socket = 2\n"))
        .isInstanceOf(ScenarioException.class).hasMessageContaining("line 7")
        .hasMessageContaining("bare-tail is that of one thread");
    assertThatThrownBy(() -> ScenarioFile.parse("t", "t",
        text.replace("feed.rate = 70\n", "feed.rate @ decant = 70\n"))).isInstanceOf(ScenarioException.class)
        .hasMessageContaining("feed.rate");
  }

  @Test
  void theBareSocketSendsWithoutWaitingOnOneThreadToOneBroker() {
    String text = besideBareSocket("produce", "bare-produce", "brokers = 1\nrecords = 5\n");
    Scenario scenario = ScenarioFile.parse("t", "t", text);
    assertThat(scenario.contenders().get(1).spec(false, 1).client()).isEqualTo(WorkSpec.BARE_SOCKET);
    assertThat(scenario.contenders().get(1).work()).isEqualTo(WorkKind.named("bare-produce"));
    assertThat(scenario.onGivenCluster().clients()).containsExactly("decant");
    assertThat(scenario.commonLines()).as("a comparison is without it, and may have any number of brokers")
        .doesNotContain("brokers").contains("work = produce");
    assertThatThrownBy(() -> ScenarioFile.parse("t", "t", text + "threads = 2\n"))
        .isInstanceOf(ScenarioException.class).hasMessageContaining("line 7").hasMessageContaining("one thread");
    String three = text.replace("brokers = 1", "brokers = 3");
    assertThatThrownBy(() -> ScenarioFile.parse("t", "t", three)).isInstanceOf(ScenarioException.class)
        .hasMessageContaining("line 5")
        .hasMessageContaining("bare-produce needs one broker that leads all partitions");
    assertThat(ScenarioFile.parse("t", "t", three + "partitions = 1\n").brokers()).isEqualTo(3);
  }

  @Test
  void theBareSocketSendsAndWaitsOnManyThreadsToOneBroker() {
    String text = besideBareSocket("send-and-wait", "bare-send-and-wait", "threads = 7\nbrokers = 1\nrecords = 5\n");
    Contender bare = ScenarioFile.parse("t", "t", text).contenders().get(1);
    assertThat(bare.spec(false, 1).client()).isEqualTo(WorkSpec.BARE_SOCKET);
    assertThat(bare.spec(false, 1).load().threads()).isEqualTo(7);
    assertThat(bare.work()).isEqualTo(WorkKind.named("bare-send-and-wait"));
    assertThat(bare.work().topic()).isEqualTo(WorkKind.Topic.WRITTEN);
    assertThatThrownBy(() -> ScenarioFile.parse("t", "t", text.replace("brokers = 1", "brokers = 3")))
        .isInstanceOf(ScenarioException.class).hasMessageContaining("line 6")
        .hasMessageContaining("bare-send-and-wait needs one broker that leads all partitions");
  }

  @Test
  void theBareSocketReadsATopicAgainAndAgain() {
    String text = besideBareSocket("consume", "bare-consume", "brokers = 1\ntopic.records = 5\nrecords = 5\n");
    Scenario scenario = ScenarioFile.parse("t", "t", text);
    Contender bare = scenario.contenders().get(1);
    assertThat(bare.spec(false, 1).client()).isEqualTo(WorkSpec.BARE_SOCKET);
    assertThat(bare.work()).isEqualTo(WorkKind.named("bare-consume"));
    assertThat(bare.spec(false, 1).amount().topicRecords()).isEqualTo(5);
    assertThat(bare.filling(false, 1)).as("both read the same topic")
        .isEqualTo(scenario.contenders().getFirst().filling(false, 1));
    assertThat(scenario.onGivenCluster().clients()).containsExactly("decant");
    assertThatThrownBy(() -> ScenarioFile.parse("t", "t", text.replace("topic.records = 5\n", "")))
        .isInstanceOf(ScenarioException.class).hasMessageContaining("topic.records");
    assertThatThrownBy(() -> ScenarioFile.parse("t", "t", text + "threads @ bare-socket = 2\n"))
        .isInstanceOf(ScenarioException.class).hasMessageContaining("line 8")
        .hasMessageContaining("bare-consume is that of one thread");
    assertThatThrownBy(() -> ScenarioFile.parse("t", "t", text.replace("brokers = 1", "brokers = 3")))
        .isInstanceOf(ScenarioException.class).hasMessageContaining("line 5")
        .hasMessageContaining("bare-consume needs one broker that leads all partitions");
  }

  @Test
  void theBareSocketSendsAtARateAndReceivesTheSame() {
    String text = besideBareSocket("end-to-end", "bare-end-to-end", "rate = 70\nbrokers = 1\nrecords = 5\n");
    Scenario scenario = ScenarioFile.parse("t", "t", text);
    Contender bare = scenario.contenders().get(1);
    assertThat(bare.spec(false, 1).client()).isEqualTo(WorkSpec.BARE_SOCKET);
    assertThat(bare.work()).isEqualTo(WorkKind.named("bare-end-to-end"));
    assertThat(bare.work().topic()).isEqualTo(WorkKind.Topic.WRITTEN);
    assertThat(bare.spec(false, 1).load().ratePerSecond()).isEqualTo(70);
    assertThat(scenario.onGivenCluster().clients()).containsExactly("decant");
    assertThatThrownBy(() -> ScenarioFile.parse("t", "t", text.replace("rate = 70", "rate @ decant = 70")))
        .isInstanceOf(ScenarioException.class).hasMessageContaining("rate");
    assertThatThrownBy(() -> ScenarioFile.parse("t", "t", text + "threads @ bare-socket = 2\n"))
        .isInstanceOf(ScenarioException.class).hasMessageContaining("line 8")
        .hasMessageContaining("bare-end-to-end is that of one thread");
    assertThatThrownBy(() -> ScenarioFile.parse("t", "t", text.replace("brokers = 1", "brokers = 3")))
        .isInstanceOf(ScenarioException.class).hasMessageContaining("line 6")
        .hasMessageContaining("bare-end-to-end needs one broker that leads all partitions");
  }

  @Test
  void aClusterOfTheUsersIsReadByClientsOnly() {
    String text = besideBareSocket("tail", "bare-tail", "brokers = 1\nfeed.rate = 70\nrecords = 5\n");
    Scenario given = ScenarioFile.parse("t", "t", text).onGivenCluster();
    assertThat(given.clients()).containsExactly("decant");
    assertThat(given.brokers()).isZero();
    Scenario alone = ScenarioFile.parse("t", "t",
        text.replace("decant, ", "").replace("tail\nwork @ bare-socket = ", ""));
    assertThat(alone.onGivenCluster()).as("there would be nobody left").isEqualTo(alone);
  }

  @Test
  void whoIsNoClientParksWithOrWithoutADeadline() {
    String text = """
        title = T
        clients = jdk, jdk-untimed
        work = park
        work @ jdk-untimed = park-untimed
        records = 5
        """;
    assertThat(ScenarioFile.parse("t", "t", text).contenders()).extracting(Contender::work)
        .containsExactly(WorkKind.named("park"), WorkKind.named("park-untimed"));
    assertThatThrownBy(() -> ScenarioFile.parse("t", "t", text.replace("jdk-untimed", "decant")))
        .isInstanceOf(ScenarioException.class)
        .hasMessageContaining("park and park-untimed are the works of the client jdk");
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {"nonsense | line 5 | KEY = VALUE", "colour = red | line 5 | no key colour",
      "threads = | line 5 | no value", "threads = many | line 5 | no whole number", "threads = 0 | line 5 | 1 to",
      "threads @ librdkafka = 1 | line 5 | no client librdkafka", "records = 11 | line 5 | twice",
      "title @ decant = U | line 5 | same for all",
      "payload = xml | line 5 | json-text",
      "topic.records = 5 | line 5 | consume", "bar = speed <= 1 | line 5 | no metric speed",
      "bar = p50_us < 1 | line 5 | no bar", "bar = told p50_us <= 1 | line 5 | \"told\" stands before",
      "bar = p50_us <= 1/0 | line 5 | divides by 0",
      "bar = p50_us <= 1 of netty | line 5 | no client netty", "work @ decant = juggle | line 5 | no work",
      "work @ decant = park | line 5 | jdk", "work @ decant = round-trip | line 5 | bare-socket",
      "work @ decant = bare-tail | line 5 | bare-socket", "work @ decant = bare-produce | line 5 | bare-socket",
      "work @ decant = bare-send-and-wait | line 5 | bare-socket",
      "work @ decant = bare-end-to-end | line 5 | bare-socket",
      "work @ decant = tail | line 4 | ",
      "brokers = 2 | line 5 | 1 or 3", "turns = 9 | line 5 | 1 to 8",
      "turns.quick @ decant = 1 | line 5 | same for all", "brokers @ decant = 3 | line 5 | same for all",
      "transaction.records = 5 | line 5 | transact", "work @ decant = transact | mine | transaction.records"})
  void whatIsWrongIsNamedWithItsLine(String line, String where, String why) {
    String expected = why == null ? "feed.rate" : why;

    assertThatThrownBy(() -> parse(line + "\n")).isInstanceOf(ScenarioException.class)
        .hasMessageContaining("mine.scenario").satisfies(error -> {
          assertThat(error.getMessage()).contains(expected).hasLineCount(1);
          if (why != null) {
            assertThat(error.getMessage()).contains(where);
          }
        });
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {"title | title", "clients | clients", "work | work", "records | records"})
  void whatIsMissingIsNamed(String key, String named) {
    String text = HEAD.replaceFirst(key + " = .*\n", "");

    assertThatThrownBy(() -> ScenarioFile.parse("mine", "mine.scenario", text)).isInstanceOf(ScenarioException.class)
        .hasMessageStartingWith("mine.scenario").hasMessageContaining(named);
  }

  @Test
  void aClientIsKnownByTheFirstWordOfItsName() {
    String text = HEAD.replace("kafka-clients-old", "librdkafka");

    assertThatThrownBy(() -> ScenarioFile.parse("mine", "mine.scenario", text)).isInstanceOf(ScenarioException.class)
        .hasMessageContaining("librdkafka").hasMessageContaining("line 2");
    assertThatThrownBy(() -> ScenarioFile.parse("mine", "mine.scenario", HEAD.replace("kafka-clients-old", "decant")))
        .isInstanceOf(ScenarioException.class).hasMessageContaining("twice");
  }
}
