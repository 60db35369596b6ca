@NullMarked
package dev.decant.telemetry;

import org.jspecify.annotations.NullMarked;
