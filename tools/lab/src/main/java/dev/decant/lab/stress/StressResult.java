package dev.decant.lab.stress;

import java.util.ArrayList;
import java.util.List;

/**
 * All samples of a run, and the figures computed from them.
 *
 * @param plan the plan
 * @param samples samples in the order in which they were taken
 */
public record StressResult(StressPlan plan, List<Sample> samples) {

  /**
   * Returns one row for each scenario, size and client, in the order of the plan.
   *
   * @return without rows that have no sample
   */
  public List<Row> rows() {
    List<Row> rows = new ArrayList<>();
    for (String scenario : plan.scenarios()) {
      for (int size : plan.recordSizes()) {
        for (String client : plan.clients()) {
          List<Sample> own = samples.stream().filter(sample -> sample.scenario().equals(scenario)
              && sample.recordSize() == size && sample.client().equals(client)).toList();
          if (!own.isEmpty()) {
            rows.add(new Row(scenario, size, client, own));
          }
        }
      }
    }
    return rows;
  }

  /**
   * Returns the ratios of Decant to the peer.
   *
   * @return for each scenario and size in which both were measured
   */
  public List<Ratio> ratios() {
    List<Row> rows = rows();
    List<Ratio> ratios = new ArrayList<>();
    for (Row decant : rows) {
      for (Row peer : rows) {
        boolean same = decant.scenario().equals(peer.scenario()) && decant.recordSize() == peer.recordSize();
        if (same && decant.client().equals(StressPlan.DECANT) && peer.client().equals(StressPlan.PEER)) {
          ratios.add(new Ratio(decant, peer));
        }
      }
    }
    return ratios;
  }

  /**
   * Returns the samples in which other records were delivered than expected.
   *
   * @return none in a sound run
   */
  public List<Sample> wrongDeliveries() {
    return samples.stream().filter(sample -> sample.delivered() != sample.expected()).toList();
  }
}
