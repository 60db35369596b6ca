package dev.decant.spring.boot;

import dev.decant.kafka.ConnectionStatus;
import dev.decant.kafka.client.ClientStatus;
import dev.decant.kafka.consumer.ConsumerStatus;
import dev.decant.runtime.Finding;
import dev.decant.spring.boot.OpenClients.Open;
import java.time.Instant;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;

/** Shows the clients of the application. It asks no broker and waits for nothing. */
@Endpoint(id = "decant")
final class DecantEndpoint {
  private final OpenClients clients;

  DecantEndpoint(OpenClients clients) {
    this.clients = clients;
  }

  /**
   * All of it.
   *
   * @param clients that are open
   * @param findings in what ways the JVM does not suit them
   */
  record Report(List<Client> clients, List<String> findings) {}

  /**
   * A client.
   *
   * @param kind producer, consumer or native
   * @param id Kafka's {@code client.id}
   * @param cluster its id; null before a broker has responded
   * @param live false if a restart of the process would help
   * @param ready whether brokers can be reached
   * @param fetchMemoryBytes memory for responses that is in use
   * @param maxFetchMemoryBytes the bound of that
   * @param connections to brokers
   * @param consumers what is read
   * @param problems a sentence for each
   * @param lastErrors the last 16, those that were repaired included
   */
  record Client(String kind, String id, @Nullable String cluster, boolean live, boolean ready, long fetchMemoryBytes,
      long maxFetchMemoryBytes, List<Connection> connections, List<Member> consumers, List<String> problems,
      List<ErrorSeen> lastErrors) {}

  /**
   * A connection.
   *
   * @param broker host and port
   * @param ready whether requests may be sent
   * @param pendingRequests without a response yet
   * @param lastError what ended it last; null if nothing has
   */
  record Connection(String broker, boolean ready, int pendingRequests, @Nullable String lastError) {}

  /**
   * What a consumer reads.
   *
   * @param group null without a group
   * @param maxLag the largest lag of a partition; null if that of none is known
   * @param partitions that it reads
   */
  record Member(@Nullable String group, @Nullable Long maxLag, List<Partition> partitions) {}

  /**
   * A partition that is read.
   *
   * @param topic the topic
   * @param partition the partition
   * @param position offset of the next record; null while it is looked up
   * @param end the log end as the last response said it; null before one
   * @param lag offsets in between; null if it is not known
   */
  record Partition(String topic, int partition, @Nullable Long position, @Nullable Long end, @Nullable Long lag) {}

  /**
   * An error that was.
   *
   * @param time when
   * @param code names its kind
   * @param where broker, or topic and partition
   * @param message in words
   */
  record ErrorSeen(Instant time, String code, String where, String message) {}

  @ReadOperation
  Report report() {
    Set<String> findings = new LinkedHashSet<>();
    List<Client> all = clients.open().stream().map(open -> {
      ClientStatus status = open.client().status();
      status.findings().stream().map(Finding::message).forEach(findings::add);
      return client(open, status);
    }).toList();
    return new Report(all, List.copyOf(findings));
  }

  private static Client client(Open open, ClientStatus status) {
    return new Client(open.kind(), open.id(), open.client().clusterId().orElse(null), status.isLive(),
        status.isReady(), status.fetchMemoryInUse(), status.fetchMemory(),
        status.connections().stream().map(DecantEndpoint::connection).toList(),
        open.client().consumers().stream().map(DecantEndpoint::member).toList(), status.problems(),
        status.lastErrors().stream().map(error -> new ErrorSeen(Instant.ofEpochMilli(error.epochMillis()),
            error.kind().code(), error.where(), error.message())).toList());
  }

  private static Connection connection(ConnectionStatus status) {
    return new Connection(status.broker(), status.ready(), status.requestsInFlight(), status.lastError());
  }

  private static Member member(ConsumerStatus status) {
    return new Member(status.group().isEmpty() ? null : status.group(), known(status.maxLag()),
        status.partitions().stream().map(p -> new Partition(p.topic(), p.partition(), known(p.position()),
            known(p.end()), known(p.lag()))).toList());
  }

  private static @Nullable Long known(long value) {
    return value == ConsumerStatus.UNKNOWN ? null : value;
  }
}
