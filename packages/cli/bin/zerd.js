#!/usr/bin/env node
require('../dist/zerd.cjs');
