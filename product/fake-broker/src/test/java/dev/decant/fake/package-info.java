@NullMarked
package dev.decant.fake;

import org.jspecify.annotations.NullMarked;
