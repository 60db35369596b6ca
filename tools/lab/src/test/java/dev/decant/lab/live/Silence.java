package dev.decant.lab.live;

import java.util.List;
import java.util.Map;

/** A listener that ignores the run. */
public final class Silence implements RunListener {
  @Override
  public void onPlan(List<Turn> turns) {}

  @Override
  public void onBegin(int turn) {}

  @Override
  public boolean wantsRates() {
    return false;
  }

  @Override
  public void onRate(long recordsPerSecond) {}

  @Override
  public void onSample(int turn, Map<String, Double> figures, List<Long> recordsPerSecond) {}

  @Override
  public void onFailure(int turn, String why) {}

  @Override
  public void onLine(String line) {}

  @Override
  public boolean isEnding() {
    return false;
  }
}
