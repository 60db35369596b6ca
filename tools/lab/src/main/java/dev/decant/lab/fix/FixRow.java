package dev.decant.lab.fix;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * All samples of one setup; every figure is the median of its samples.
 *
 * @param setup which
 * @param samples at least one
 */
public record FixRow(FixSetup setup, List<FixMeasured> samples) {

  /**
   * The median of a figure.
   *
   * @param figure which
   * @return over all samples
   */
  public double median(FixFigure figure) {
    return figure.median(samples);
  }

  /**
   * Heap that each thread has allocated.
   *
   * @return bytes by the thread's name, the mean of all samples; without threads that never did
   */
  public Map<String, Double> bytesByThread() {
    Map<String, Double> bytes = new TreeMap<>();
    samples.forEach(sample -> sample.bytesByThread()
        .forEach((thread, count) -> bytes.merge(thread, (double) count / samples.size(), Double::sum)));
    return bytes;
  }

  /**
   * Collections of each collector.
   *
   * @return by its name, the mean of all samples; without collectors that never ran
   */
  public Map<String, Double> collectionsByCollector() {
    Map<String, Double> counts = new TreeMap<>();
    samples.forEach(sample -> sample.collectionsByCollector()
        .forEach((name, count) -> counts.merge(name, (double) count / samples.size(), Double::sum)));
    return counts;
  }
}
