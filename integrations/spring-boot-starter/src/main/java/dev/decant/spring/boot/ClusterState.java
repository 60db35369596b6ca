package dev.decant.spring.boot;

import dev.decant.kafka.ConnectionStatus;
import dev.decant.kafka.client.ClientStatus;
import dev.decant.spring.boot.OpenClients.Open;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * How the clients of one cluster stand.
 *
 * @param clients that are open
 * @param live false if one of them has stopped to work, and a restart of the process would help
 * @param ready false if one of them cannot reach the cluster
 * @param problems of all of them, each once
 */
record ClusterState(int clients, boolean live, boolean ready, List<String> problems) {

  /** In place of the id of a cluster that has not responded yet. */
  static final String UNKNOWN = "unknown";

  /** By the id of the cluster. */
  static Map<String, ClusterState> of(OpenClients clients) {
    Map<String, ClusterState> states = new LinkedHashMap<>();
    for (Open each : clients.open()) {
      ClientStatus status = each.client().status();
      List<String> problems = isUnused(status)
          ? List.of()
          : status.problems().stream().map(problem -> each.id() + ": " + problem).toList();
      states.merge(each.client().clusterId().orElse(UNKNOWN),
          new ClusterState(1, status.isLive(), status.isReady() || isUnused(status), problems), ClusterState::with);
    }
    return states;
  }

  /** A producer connects with its first record: until then nothing is wrong. */
  static boolean isUnused(ClientStatus status) {
    return status.isLive() && status.metadataAge() == null
        && status.connections().stream().map(ConnectionStatus::lastError).allMatch(error -> error == null)
        && status.lastErrors().isEmpty();
  }

  private ClusterState with(ClusterState other) {
    List<String> all = new ArrayList<>(problems);
    other.problems.stream().filter(problem -> !all.contains(problem)).forEach(all::add);
    return new ClusterState(clients + other.clients, live && other.live, ready && other.ready, all);
  }

  /** As a health endpoint shows it. */
  Map<String, Object> details() {
    Map<String, Object> details = new LinkedHashMap<>();
    details.put("clients", clients);
    details.put("live", live);
    details.put("ready", ready);
    details.put("problems", problems);
    return details;
  }
}
