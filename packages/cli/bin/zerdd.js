#!/usr/bin/env node
import('../../daemon/dist/bundle/zerdd.js');
